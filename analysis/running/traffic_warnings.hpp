#pragma once

#include <string>
#include <vector>

#include "analysis/running/scenario_job.hpp"

namespace starling {

/// Says of a job where its algorithms leave much of the network idle. Of those that mostly send to the next
/// rank or the one before, around all ranks, where such messages share links that they would not share under
/// block placement, or along a snake: how much less the busiest link would carry there. Where hosts have
/// several network cards, of those of which one card carries twice as much as the average one or more. Silent
/// on more than 256 workers that send more than collectives. O(workers · links of a route) where nothing is
/// said.
std::vector<std::string> traffic_warnings(const ScenarioJob& job);

}  // namespace starling
