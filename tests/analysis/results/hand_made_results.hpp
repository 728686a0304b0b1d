#pragma once

#include <limits>
#include <string>

#include "analysis/explanation/waiting.hpp"
#include "analysis/results/result.hpp"
#include "workloads/records/iteration_log.hpp"

namespace starling {

/// A sixteenth of a second.
constexpr double sixteenth = 1.0 / 16;

/// Two workers, three iterations in sixteenths of a second (so that sums are exact); worker 1 is delayed in
/// the last one.
///
///   iteration      0: warm-up   1                         2
///   worker 0       ends 1       forward 4 backward 6      forward 4 backward 6, waits for worker 1
///   worker 1       ends 1       the same                  delay 8 before the same
///   then both exchange for 2/16 s and update for 1/16 s.
inline IterationLog two_workers_log() {
  IterationLog log(2);
  const IterationRecord first{.end_s = 1,
                              .ready_s = 12 * sixteenth,
                              .delay_s = 0,
                              .forward_s = 4 * sixteenth,
                              .backward_s = 8 * sixteenth,
                              .update_s = 1 * sixteenth,
                              .blocked_s = 3 * sixteenth};
  const IterationRecord second{.end_s = 29 * sixteenth,
                               .ready_s = 26 * sixteenth,
                               .delay_s = 0,
                               .forward_s = 4 * sixteenth,
                               .backward_s = 6 * sixteenth,
                               .update_s = 1 * sixteenth,
                               .blocked_s = 2 * sixteenth};
  const IterationRecord waiting{.end_s = 50 * sixteenth,
                                .ready_s = 39 * sixteenth,
                                .delay_s = 0,
                                .forward_s = 4 * sixteenth,
                                .backward_s = 6 * sixteenth,
                                .update_s = 1 * sixteenth,
                                .blocked_s = 10 * sixteenth};
  const IterationRecord delayed{.end_s = 50 * sixteenth,
                                .ready_s = 47 * sixteenth,
                                .delay_s = 8 * sixteenth,
                                .forward_s = 4 * sixteenth,
                                .backward_s = 6 * sixteenth,
                                .update_s = 1 * sixteenth,
                                .blocked_s = 2 * sixteenth};
  for (const Rank rank : {0, 1}) {
    log.add(rank, first);
    log.add(rank, second);
  }
  log.add(0, waiting);
  log.add(1, delayed);
  return log;
}

inline IterationLog attributed(IterationLog log) {
  attribute_waiting(log);
  return log;
}

inline RunResult hand_made_run(const std::string& label, double mean_s) {
  return {
      .label = label,
      .algorithm = {{"kind", "ddp"}, {"bucket_bytes", 26214400}},
      .workers = 4,
      .iterations = 18,
      .iteration_time_s = {mean_s, 0.001, 0.1, 0.2, 0.3, 0.05, 0.4},
      .throughput_samples_per_s = 1234567.89,
      .makespan_s = 12.5,
      .breakdown_s = {.delay = 0,
                      .forward = 0.1,
                      .backward = 0.2,
                      .update = 0.001,
                      .exposed_communication = 0.0123456,
                      .imbalance_wait = 0.00000321},
      .traffic = {.messages = 480,
                  .bytes = 9007199254740991.0,
                  .bytes_per_worker_per_iteration = 102228128.5},
      .participation = {.mean_active_workers = 4, .stale_contributions = 0, .max_staleness_iterations = 0},
      .speedup = 1.0};
}

/// Evaluations at the start and after 10 and 20 iterations; at the last one the loss is NaN.
inline LearningResult hand_made_learning() {
  return {.task = "quadratic",
          .rows = {{0, {.iterations = 0, .loss = 12.5}},
                   {0.75, {.iterations = 10, .loss = 4.5, .consensus_distance = 0.0125}},
                   {1.5,
                    {.iterations = 20,
                     .loss = std::numeric_limits<double>::quiet_NaN(),
                     .consensus_distance = std::numeric_limits<double>::infinity()}}},
          .target_loss = 5,
          .time_to_target_s = 0.75};
}

inline Result hand_made_result() {
  return {.scenario = {{"name", "hand-made"}, {"seed", 1}, {"iterations", 20}, {"warmup_iterations", 2}},
          .engine = "event",
          .runs = {hand_made_run("first", 0.3)},
          .simulation = {.wall_s = 0.25, .events = 1000, .peak_memory_bytes = 4096}};
}

}  // namespace starling
