#pragma once

#include <cstdint>
#include <optional>

#include "analysis/running/machine.hpp"
#include "io/terminal/progress_line.hpp"
#include "sim/routes.hpp"
#include "topologies/placement/rank_traffic.hpp"

namespace starling {

/// What an algorithm's workers send to each other, as shares of their sum. Where the algorithm sends only
/// collectives, what their schedules send; else what is sent in `iterations` successive iterations of a run
/// without imbalance. The first and the last iteration of that run, which may be without messages, do not
/// count. A message counts for the iteration its sender is in.
///
/// O(messages): 10 ns for each of a schedule, 1 µs for each of a run; rings cost O(workers).
TrafficMatrix traffic_of(const PreparedRun& run, const Routes& routes, std::int64_t iterations);

/// What is sent in each of those iterations, as shares of what all of them send; iterations that send nothing
/// are left out. A single matrix where an algorithm sends only collectives, or nearly only, and the same in
/// every iteration. Costs as traffic_of(); advances `progress` by steps_by_iteration().
TrafficRounds traffic_by_iteration(const PreparedRun& run, const Routes& routes, std::int64_t iterations,
                                   OptionalProgress progress = {});
std::int64_t steps_by_iteration(const PreparedRun& run, const Routes& routes, std::int64_t iterations);

/// An approximation of traffic_of() that takes no run, for algorithms that usually send collectives and
/// little else; absent for others. O(messages) of the schedules.
std::optional<TrafficMatrix> typical_traffic_of(const PreparedRun& run);

/// About how many messages traffic_of() simulates, where it takes a run.
double messages_to_find_traffic(const PreparedRun& run, int workers, std::int64_t iterations);

}  // namespace starling
