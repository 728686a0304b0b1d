#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>

#include "sim/run_statistics.hpp"

namespace starling {

/// Benchmarks `run` in child processes. The time is the child's CPU time, which hardly depends on how busy
/// the machine is; the counters are messages per second and the peak memory, in total and per worker.
void benchmark_in_own_process(benchmark::State& state, int workers,
                              const std::function<RunStatistics()>& run);

}  // namespace starling
