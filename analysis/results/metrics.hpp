#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "workloads/records/iteration_log.hpp"

namespace starling {

/// How long the counted iterations took, in seconds.
///
/// `mean` is (end of the last counted iteration − end of the last warm-up iteration, mean over workers) /
/// counted iterations: the figure of merit. The others describe the durations of all workers' counted
/// iterations as one set of workers × iterations numbers, the duration being the time between the ends of two
/// iterations of one worker; the mean of that set is `mean` too. `std` is the population's standard
/// deviation.
struct IterationTime {
  double mean = 0;
  double std = 0;
  double p5 = 0;
  double p50 = 0;
  double p95 = 0;
  double min = 0;
  double max = 0;
};

/// The parts of the mean iteration, in seconds: means over workers and counted iterations, which sum to the
/// mean iteration time.
struct Breakdown {
  double delay = 0;  // injected by the scenario before the forward pass
  double forward = 0;
  double backward = 0;
  double update = 0;
  double exposed_communication = 0;
  double imbalance_wait = 0;
};

/// A part of an iteration: its key in result.json, its names in tables and in charts, and its member.
struct BreakdownPart {
  const char* key;
  const char* name;
  const char* chart_label;
  double Breakdown::*seconds;
};
inline constexpr std::array<BreakdownPart, 6> breakdown_parts{
    {{"delay", "delay", "injected delay", &Breakdown::delay},
     {"forward", "forward", "forward", &Breakdown::forward},
     {"backward", "backward", "backward", &Breakdown::backward},
     {"update", "update", "update", &Breakdown::update},
     {"exposed_communication", "exposed communication", "exposed communication",
      &Breakdown::exposed_communication},
     {"imbalance_wait", "imbalance wait", "waiting for slower workers", &Breakdown::imbalance_wait}}};

/// The number of records of every worker. @throws InvariantError if workers have different numbers.
std::size_t iterations_of(const IterationLog& log);

/// The index of the first iteration after the warm-up. @throws InvariantError if no iteration remains.
std::size_t first_counted(const IterationLog& log, std::int64_t warmup_iterations);

/// The iterations before `warmup_iterations` are left out; at least one must remain. O(n log n) for n
/// durations.
IterationTime iteration_time(const IterationLog& log, std::int64_t warmup_iterations);

/// The mean time of the counted iterations of every worker.
std::vector<double> mean_times_of_workers_s(const IterationLog& log, std::int64_t warmup_iterations);

/// The duration of every counted iteration, in order, as mean over workers. O(n).
std::vector<double> mean_durations_s(const IterationLog& log, std::int64_t warmup_iterations);

/// The parts of the mean iteration. O(n). Waiting that is not attributed to imbalance counts as exposed
/// communication.
Breakdown breakdown(const IterationLog& log, std::int64_t warmup_iterations);

}  // namespace starling
