#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace starling {

/// What a group of workers learns together: parameters that make a loss small, and gradients that lead there.
///
/// Everything follows from the task's options and seed: the batch of a worker's iteration is the same
/// whatever was computed before, in whatever order. One task serves all workers.
class LearningTask {
 public:
  LearningTask() = default;
  virtual ~LearningTask() = default;
  LearningTask(const LearningTask&) = delete;
  LearningTask& operator=(const LearningTask&) = delete;

  virtual std::int64_t parameters() const = 0;

  /// Where every worker starts.
  virtual std::vector<float> initial_parameters() const = 0;

  /// Writes the gradient of the mean loss of the worker's batch of this iteration into `gradients`.
  /// Both spans have parameters() elements.
  virtual void gradient(int worker, std::int64_t iteration, std::span<const float> parameters,
                        std::span<float> gradients) const = 0;

  /// The mean loss over all data of all workers.
  virtual double loss(std::span<const float> parameters) const = 0;

  /// About how many operations on numbers a gradient takes, and a loss; 0 where that is not known.
  virtual double gradient_operations() const { return 0; }
  virtual double loss_operations() const { return 0; }
};

}  // namespace starling
