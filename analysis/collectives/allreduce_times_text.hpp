#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/collectives/allreduce_times.hpp"

namespace starling {

/// A text table of times and bus bandwidths, with a row for each size, in which the shortest time is marked.
std::string allreduce_table(const Scenario& scenario, const AllreduceTimes& times);

/// An object for each size and collective.
std::vector<nlohmann::ordered_json> allreduce_json(const AllreduceTimes& times);

}  // namespace starling
