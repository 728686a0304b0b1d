#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analysis/regimes/regime_map.hpp"

namespace starling {

/// The map with all that was found, as regimes.json.
nlohmann::ordered_json regimes_json(const RegimeStudy& study, const RegimeMap& map);

/// A line for each point: what it is, the fastest and by how much, and every algorithm's time by the model
/// and simulated.
std::string regimes_csv(const RegimeMap& map);

/// Who is the fastest where, and a map of letters for each number of workers.
std::string regimes_table(const RegimeStudy& study, const RegimeMap& map);

}  // namespace starling
