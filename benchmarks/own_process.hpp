#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>

#include "sim/run_statistics.hpp"

namespace starling {

/// Benchmarks `run` in child processes: its time is the child's CPU time (what one core needs, however busy
/// the machine is), its counters are messages per second and the peak memory, also per worker.
void benchmark_in_own_process(benchmark::State& state, int workers,
                              const std::function<RunStatistics()>& run);

}  // namespace starling
