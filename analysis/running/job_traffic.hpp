#pragma once

#include "algorithms/training/training_options.hpp"
#include "analysis/running/machine.hpp"
#include "sim/routes.hpp"
#include "topologies/placement/rank_traffic.hpp"

namespace starling {

/// What an algorithm's workers send to each other, as shares of all of it. Where it has collectives only,
/// those of their schedules; else what is sent in a run without disturbances in `iterations` that follow on
/// each other, beyond those with which it begins and ends, which may be without messages.
///
/// O(messages): of a schedule 10 ns each, of a run 1 µs; rings cost O(workers).
TrafficMatrix traffic_of(const PreparedRun& run, const Routes& routes, std::int64_t iterations);

}  // namespace starling
