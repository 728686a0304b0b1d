#pragma once

#include <memory>

#include "tests/analysis/running/small_scenario.hpp"
#include "workloads/learning/quadratic_task.hpp"

namespace starling {

/// The small scenario with all-reduce and DDP, for a billion iterations.
inline Scenario long_scenario() {
  Scenario scenario = small_scenario();
  scenario.iterations = 1'000'000'000;
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, DdpOptions{});
  return scenario;
}

/// A quadratic task of 100,000 parameters.
inline LearningOptions learning_of(int workers) {
  return {.task_name = "quadratic",
          .task = std::make_shared<QuadraticTask>(
              QuadraticOptions{.dimension = 100'000, .gradient_noise = 1, .workers = workers}),
          .optimizer = {},
          .target_loss = {}};
}

}  // namespace starling
