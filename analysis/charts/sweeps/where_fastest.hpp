#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/charts/sweeps/sweep_winners.hpp"

namespace starling {

/// At which values of what varies each is the fastest, in a sentence; empty if it is the same one everywhere.
/// `dimensions` are those of sweep_axes: one for each pointer of the plan, then the algorithms.
std::string where_fastest_text(const SweepPlan& plan, const nlohmann::json& dimensions,
                               const std::vector<SweepWinner>& winners);

}  // namespace starling
