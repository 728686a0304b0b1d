#pragma once

#include <chrono>
#include <functional>
#include <string_view>

#include "sim/native/mpi_job.hpp"

namespace starling {

/// Collective: how far this process's steady clock is ahead of that of rank 0; exactly 0 on the same kernel.
///
/// Rank 0 queries the clock of one rank of each other kernel 100 times and uses the reply with the shortest
/// round trip, so the error is at most half of that round trip. Takes 100 round trips per kernel. Reference:
/// Cristian, "Probabilistic clock synchronization", Distributed Computing 3(3), 1989.
std::chrono::nanoseconds clock_offset(const MpiJob& job);

/// The same for another clock. Ranks that give the same `name` share one clock.
std::chrono::nanoseconds clock_offset(const MpiJob& job, std::string_view name,
                                      const std::function<std::chrono::nanoseconds()>& clock);

}  // namespace starling
