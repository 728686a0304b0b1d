#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analysis/model/gain_parts.hpp"
#include "analysis/model/model_report.hpp"

namespace starling {

/// A table with a row for each algorithm, and below it what its model assumes or leaves out.
std::string model_table(const ModelReport& report);

/// One algorithm of the report as JSON, with the parts of the modeled iteration.
nlohmann::ordered_json modeled_json(const ModeledAlgorithm& algorithm);

/// A table of every algorithm's gain over the baseline and its parts; below it, why some gains cannot be
/// divided.
std::string gains_table(const ExplainedGains& gains);

/// The gain of one algorithm and its parts as JSON.
nlohmann::ordered_json gain_json(const ExplainedGain& gain, const ExplainedGains& gains);

/// model.json: modeled_json() and, unless `gains` is null, gain_json() of all algorithms of the scenario with
/// that hash.
nlohmann::ordered_json model_document(const ModelReport& report, const ExplainedGains* gains,
                                      const std::string& scenario_hash);

}  // namespace starling
