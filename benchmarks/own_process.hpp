#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>

#include "sim/simulated/simulated_world.hpp"

namespace starling {

/// What a run cost, and what came out of it.
struct RunCost {
  double cpu_s = 0;
  double peak_memory_bytes = 0;
  RunStatistics statistics;
};

/// Runs `run` in a child process, so that the peak memory is that of this run alone and SimGrid, which allows
/// one engine per process, can be used many times. @throws std::runtime_error if the child fails.
RunCost run_in_own_process(const std::function<RunStatistics()>& run);

/// Benchmarks `run`: its time is the child's CPU time (what one core needs, however busy the machine is), its
/// counters are messages per second and the peak memory, also per worker.
void benchmark_in_own_process(benchmark::State& state, int workers,
                              const std::function<RunStatistics()>& run);

}  // namespace starling
