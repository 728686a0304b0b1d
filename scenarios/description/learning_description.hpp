#pragma once

#include <cstdint>
#include <optional>

#include "base/options/option_visitor.hpp"
#include "workloads/learning/optimizer.hpp"
#include "workloads/learning/task_options.hpp"

namespace starling {

/// The block `learning` of a scenario.
struct LearningDescription {
  TaskOptions task;
  double learning_rate = 0;
  OptimizerOptions optimizer;
  std::optional<double> target_loss;
  std::int64_t evaluate_every = 0;  // iterations; 0: not known yet, describe_learning() sets the default
};

/// Describes learning in a run of `iterations` with `workers`; with 0 of either, defaults that depend on it
/// are unknown.
void describe_learning(LearningDescription& learning, int workers, std::int64_t iterations,
                       OptionVisitor& visitor);

}  // namespace starling
