#include "benchmarks/own_process.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <stdexcept>

namespace starling {
namespace {

/// The cost of a run, and its counters.
struct RunCost {
  double cpu_s = 0;
  double peak_memory_bytes = 0;
  RunStatistics statistics;
};

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

[[noreturn]] void run_as_child(int report, const std::function<RunStatistics()>& run) {
  try {
    const RunStatistics statistics = run();
    const bool is_written = write(report, &statistics, sizeof statistics) == sizeof statistics;
    _exit(is_written ? 0 : 1);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    _exit(1);
  }
}

/// Runs `run` in a child process, so that the peak memory is that of this run alone, and so that SimGrid,
/// which allows one engine per process, can be used many times. @throws std::runtime_error if the child
/// fails.
RunCost run_in_own_process(const std::function<RunStatistics()>& run) {
  std::array<int, 2> report{};
  if (pipe(report.data()) != 0) throw std::runtime_error("cannot make a pipe");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot start a process");
  if (child == 0) run_as_child(report[1], run);

  RunCost cost;
  close(report[1]);
  const bool is_read = read(report[0], &cost.statistics, sizeof cost.statistics) == sizeof cost.statistics;
  close(report[0]);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  if (!is_read || status != 0) throw std::runtime_error("the run failed");
  cost.cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  cost.peak_memory_bytes = static_cast<double>(usage.ru_maxrss) * 1024;
  return cost;
}

}  // namespace

void benchmark_in_own_process(benchmark::State& state, int workers,
                              const std::function<RunStatistics()>& run) {
  RunCost cost;
  double peak_memory_bytes = 0;
  double messages = 0;
  double cpu_s = 0;
  try {
    for ([[maybe_unused]] auto _ : state) {
      cost = run_in_own_process(run);
      state.SetIterationTime(cost.cpu_s);
      peak_memory_bytes = std::max(peak_memory_bytes, cost.peak_memory_bytes);
      messages += static_cast<double>(cost.statistics.messages);
      cpu_s += cost.cpu_s;
    }
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
    return;
  }
  state.counters["messages"] = static_cast<double>(cost.statistics.messages);
  state.counters["messages_per_s"] = messages / cpu_s;
  state.counters["peak_memory_bytes"] = peak_memory_bytes;
  state.counters["peak_memory_bytes_per_worker"] = peak_memory_bytes / workers;
  state.counters["simulated_s"] = cost.statistics.makespan_s;
}

}  // namespace starling
