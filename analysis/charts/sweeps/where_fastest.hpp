#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/charts/sweeps/sweep_winners.hpp"

namespace starling {

/// A sentence on the varied values at which each algorithm is the fastest; empty if one is the fastest
/// everywhere. `dimensions` are those of sweep_axes(): one for each pointer of the plan, then the algorithms.
std::string where_fastest_text(const SweepPlan& plan, const nlohmann::json& dimensions,
                               const std::vector<SweepWinner>& winners);

}  // namespace starling
