#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analysis/model/model_report.hpp"

namespace starling {

/// A row for each algorithm, and below what its model takes for granted or leaves out.
std::string model_table(const ModelReport& report);

/// The same of one algorithm for programs, with the parts of the modeled iteration.
nlohmann::ordered_json modeled_json(const ModeledAlgorithm& algorithm);

}  // namespace starling
