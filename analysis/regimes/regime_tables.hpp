#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analysis/regimes/regime_map.hpp"

namespace starling {

/// The content of regimes.json: the map, with all times of the model and the simulation.
nlohmann::ordered_json regimes_json(const RegimeStudy& study, const RegimeMap& map);

/// The content of regimes.csv, with a line for each point: its conditions, the fastest algorithm and its
/// gain, and every algorithm's times by the model and simulated.
std::string regimes_csv(const RegimeMap& map);

/// A text table of how often each algorithm is the fastest, and a map of letters for each number of workers.
std::string regimes_table(const RegimeStudy& study, const RegimeMap& map);

}  // namespace starling
