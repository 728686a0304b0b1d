#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/collectives/allreduce_times.hpp"

namespace starling {

/// Times and bus bandwidths, a row for each size; the least time is marked.
std::string allreduce_table(const Scenario& scenario, const AllreduceTimes& times);

/// An object for each size and collective.
std::vector<nlohmann::ordered_json> allreduce_json(const AllreduceTimes& times);

}  // namespace starling
