#pragma once

#include <cstdint>
#include <optional>

#include "analysis/running/machine.hpp"
#include "io/terminal/progress_line.hpp"
#include "sim/routes.hpp"
#include "topologies/placement/rank_traffic.hpp"

namespace starling {

/// What an algorithm's workers send to each other, as shares of all of it. Where it has collectives only,
/// those of their schedules; else what is sent in a run without disturbances in `iterations` that follow on
/// each other, beyond those with which it begins and ends, which may be without messages.
///
/// O(messages): of a schedule 10 ns each, of a run 1 µs; rings cost O(workers).
TrafficMatrix traffic_of(const PreparedRun& run, const Routes& routes, std::int64_t iterations);

/// What is sent in each of those iterations, as shares of what all of them send, without those that send
/// nothing. A message is of the iteration its sender is in. One matrix where an algorithm has collectives
/// only, or they are nearly all that it sends in every iteration alike. O as traffic_of(), which takes two
/// runs; advances `progress` by steps_by_iteration().
TrafficRounds traffic_by_iteration(const PreparedRun& run, const Routes& routes, std::int64_t iterations,
                                   OptionalProgress progress = {});
std::int64_t steps_by_iteration(const PreparedRun& run, const Routes& routes, std::int64_t iterations);

/// About the same without a run, of algorithms that usually send collectives and, beside them, nothing of a
/// size worth a word; nothing of others. O(messages) of schedules.
std::optional<TrafficMatrix> usual_traffic_of(const PreparedRun& run);

/// About how many messages of runs traffic_of() takes, where it takes runs.
double messages_to_find_traffic(const PreparedRun& run, int workers, std::int64_t iterations);

}  // namespace starling
