#pragma once

#include <cstdint>
#include <optional>

#include "base/options/option_visitor.hpp"
#include "workloads/learning/optimizer.hpp"
#include "workloads/learning/task_options.hpp"

namespace starling {

/// What a scenario's `learning` says.
struct LearningDescription {
  TaskOptions task;
  double learning_rate = 0;
  OptimizerOptions optimizer;
  std::optional<double> target_loss;
  std::int64_t evaluate_every = 0;  // iterations; 0 until they are known
};

/// Describes learning in that many iterations of that many workers; without workers, what depends on either
/// is unknown.
void describe_learning(LearningDescription& learning, int workers, std::int64_t iterations,
                       OptionVisitor& visitor);

}  // namespace starling
