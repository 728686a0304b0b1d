#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/results/result.hpp"
#include "scenarios/reading/scenario.hpp"
#include "tests/analysis/running/small_scenario.hpp"

namespace starling {

/// Workers on a star whose messages take microseconds, with a task whose parameters are the model's only
/// tensor and iterations of 30 ms; every iteration is evaluated. Plain SGD.
Scenario learning_scenario(int workers, std::shared_ptr<const LearningTask> task, double learning_rate,
                           std::int64_t iterations);

/// What each algorithm of the scenario learned.
std::vector<LearningResult> learn(const Scenario& scenario);

}  // namespace starling
