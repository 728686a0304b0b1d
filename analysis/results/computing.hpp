#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/late_timers.hpp"
#include "workloads/records/iteration_log.hpp"

namespace starling {

/// How long computing took in a measurement, compared with what was planned: delay, forward, backward and
/// update of the counted iterations.
///
/// The lateness of an iteration is the time that passed less the time planned. A timer that stands for a GPU
/// ends when its worker notices, and real computing takes as long as it takes; both take longer where the
/// machine is busy with something else. An iteration may be early by as much as the one before was late.
struct Computing {
  struct Late {
    double mean = 0;
    double std = 0;  // of the population
    double p95 = 0;
    double max = 0;
  };
  struct OfRank {
    double planned_s = 0;  // means per iteration
    double passed_s = 0;
    double latest_s = 0;  // the greatest lateness of an iteration
  };

  double planned_s = 0;  // means per worker and iteration
  double passed_s = 0;
  Late late_s;                            // over the iterations of all workers
  std::vector<OfRank> ranks;              // by rank
  std::optional<LateTimers> timers = {};  // only where timers stand for GPUs; warm-up included
};

Computing computing(const IterationLog& log, std::int64_t warmup_iterations);

/// Why a measurement is doubtful, a sentence each; empty if it is not. It is if computing was late by more
/// than 1 % of the iteration on average, or the coefficient of variation of repetitions is above 5 %. Quiet
/// machines stayed below 0.2 % and 3 %; with as many other busy processes as cores it was 2 % and more. A
/// single run has no coefficient of variation, and is judged by its lateness alone.
std::vector<std::string> signs_of_load(const std::string& label, double iteration_s,
                                       std::optional<double> mean_late_s,
                                       std::optional<double> coefficient_of_variation);

}  // namespace starling
