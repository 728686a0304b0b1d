#pragma once

#include <chrono>
#include <functional>
#include <string_view>

#include "sim/native/mpi_job.hpp"

namespace starling {

/// Collective: how far this process's steady clock is ahead of rank 0's; exactly 0 on the same kernel.
///
/// Rank 0 asks one rank of each other kernel for its clock, 100 times, and takes the answer that came
/// fastest: the clock is then off by no more than half of that round trip. Takes 100 round trips per kernel.
/// Reference: Cristian, "Probabilistic clock synchronization", Distributed Computing 3(3), 1989.
std::chrono::nanoseconds clock_offset(const MpiJob& job);

/// Collective: how far any other clock is ahead of rank 0's, likewise. Ranks that give the same `name` share
/// one clock.
std::chrono::nanoseconds clock_offset(const MpiJob& job, std::string_view name,
                                      const std::function<std::chrono::nanoseconds()>& clock);

}  // namespace starling
