#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analysis/sensitivity/sensitivity.hpp"

namespace starling {

/// A table with a row for each number that has an effect; below it the numbers that have none.
std::string sensitivity_table(const Sensitivity& sensitivity);

/// The document of sensitivity.json, for the scenario with that hash.
nlohmann::ordered_json sensitivity_json(const Sensitivity& sensitivity, const std::string& scenario_hash);

}  // namespace starling
