#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analysis/sensitivity/sensitivity.hpp"

namespace starling {

/// A row per number that has an effect, and which ones have none.
std::string sensitivity_table(const Sensitivity& sensitivity);

/// All of it, unrounded, of the scenario with that hash.
nlohmann::ordered_json sensitivity_json(const Sensitivity& sensitivity, const std::string& scenario_hash);

}  // namespace starling
