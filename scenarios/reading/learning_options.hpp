#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "workloads/learning/learning_task.hpp"
#include "workloads/learning/optimizer.hpp"

namespace starling {

/// The learning task of all workers, the optimizer, and when to evaluate the loss.
struct LearningOptions {
  std::string task_name;
  std::shared_ptr<const LearningTask> task;  // one for all workers and algorithms
  OptimizerOptions optimizer;
  std::optional<double> target_loss;
  std::int64_t evaluate_every = 1;  // iterations
};

}  // namespace starling
