#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analysis/model/gain_parts.hpp"
#include "analysis/model/model_report.hpp"

namespace starling {

/// A row for each algorithm, and below what its model takes for granted or leaves out.
std::string model_table(const ModelReport& report);

/// What the model says of one algorithm, for programs, with the parts of the modeled iteration.
nlohmann::ordered_json modeled_json(const ModeledAlgorithm& algorithm);

/// What every algorithm gains over the baseline, and by what; below why some gains cannot be divided.
std::string gains_table(const ExplainedGains& gains);

/// What explains the gain of one algorithm, for programs.
nlohmann::ordered_json gain_json(const ExplainedGain& gain, const ExplainedGains& gains);

/// model.json: both for all algorithms of the scenario with that hash; gains may be null.
nlohmann::ordered_json model_document(const ModelReport& report, const ExplainedGains* gains,
                                      const std::string& scenario_hash);

}  // namespace starling
