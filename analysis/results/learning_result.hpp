#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenarios/reading/learning_options.hpp"
#include "workloads/learning/learning_log.hpp"
#include "workloads/records/iteration_log.hpp"

namespace starling {

/// An evaluation of the models, and its time.
struct LearningRow {
  double time_s = 0;  // when workers had ended record.iterations iterations on average
  LearningRecord record;
};

/// The course of learning in a run.
struct LearningResult {
  std::string task;
  std::vector<LearningRow> rows;  // in order; the first is the start
  std::optional<double> target_loss = {};
  /// The time of the first row whose loss is not above the target.
  std::optional<double> time_to_target_s = {};
  std::string reason = {};   // why there is no time to target; empty if there is
  std::string caution = {};  // why that time may be longer than necessary; empty if not
};

/// Combines the evaluations of a run with its times. Every worker of `log` must have all iterations of
/// `records`.
LearningResult learning_result(const LearningOptions& options, const std::vector<LearningRecord>& records,
                               const IterationLog& log);

}  // namespace starling
