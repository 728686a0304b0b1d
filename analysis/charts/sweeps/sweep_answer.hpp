#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/charts/sweeps/sweep_winners.hpp"

namespace starling {

/// Sentences on how often each algorithm is the fastest, how sure that is, and on what it depends.
/// `dimensions` are as for where_fastest_text().
std::vector<std::string> answer_of(const SweepPlan& plan, const nlohmann::json& dimensions,
                                   const std::vector<SweepWinner>& winners);

}  // namespace starling
