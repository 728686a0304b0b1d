#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "workloads/learning/learning_task.hpp"
#include "workloads/learning/optimizer.hpp"

namespace starling {

inline std::vector<float> gradient_of(const LearningTask& task, int worker, std::int64_t iteration,
                                      const std::vector<float>& parameters) {
  std::vector<float> gradients(parameters.size());
  task.gradient(worker, iteration, parameters, gradients);
  return gradients;
}

/// Compares a gradient of all data with central differences of the loss along each parameter.
inline void check_against_differences(const LearningTask& task, const std::vector<float>& parameters,
                                      double step, double tolerance) {
  const std::vector<float> gradients = gradient_of(task, 0, 0, parameters);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    CAPTURE(i);
    std::vector<float> above = parameters;
    std::vector<float> below = parameters;
    above[i] += static_cast<float>(step);
    below[i] -= static_cast<float>(step);
    const double distance = static_cast<double>(above[i]) - static_cast<double>(below[i]);
    const double slope = (task.loss(above) - task.loss(below)) / distance;
    CHECK(std::abs(slope - gradients[i]) < tolerance);
  }
}

/// The parameters after that many iterations of a single worker.
inline std::vector<float> train_alone(const LearningTask& task, const OptimizerOptions& options,
                                      int iterations) {
  std::vector<float> parameters = task.initial_parameters();
  const auto optimizer = make_optimizer(options, task.parameters());
  for (int iteration = 0; iteration < iterations; ++iteration) {
    optimizer->step(0, parameters, gradient_of(task, 0, iteration, parameters), 1, iteration + 1);
  }
  return parameters;
}

}  // namespace starling
