#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace starling {

/// A task that workers learn together: a loss to be minimized over parameters, and its gradients on batches.
///
/// A pure function of the task's options and seed: the batch of a worker's iteration does not depend on what
/// was computed before, or in which order. One task object serves all workers.
class LearningTask {
 public:
  LearningTask() = default;
  virtual ~LearningTask() = default;
  LearningTask(const LearningTask&) = delete;
  LearningTask& operator=(const LearningTask&) = delete;

  virtual std::int64_t parameters() const = 0;

  /// The parameters that every worker starts from.
  virtual std::vector<float> initial_parameters() const = 0;

  /// Writes the gradient of the mean loss over the worker's batch of this iteration into `gradients`. Both
  /// spans have parameters() elements.
  virtual void gradient(int worker, std::int64_t iteration, std::span<const float> parameters,
                        std::span<float> gradients) const = 0;

  /// The mean loss over all data of all workers.
  virtual double loss(std::span<const float> parameters) const = 0;

  /// The approximate numbers of arithmetic operations of a gradient and of a loss; 0 if unknown.
  virtual double gradient_operations() const { return 0; }
  virtual double loss_operations() const { return 0; }
};

}  // namespace starling
