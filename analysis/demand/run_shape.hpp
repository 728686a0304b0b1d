#pragma once

#include <cstddef>

#include "analysis/effort/run_effort.hpp"
#include "analysis/running/run_evaluator.hpp"
#include "analysis/running/run_observers.hpp"
#include "analysis/running/scenario_job.hpp"

namespace starling {

/// How a job is run, as far as it decides about what that takes.
struct RunWays {
  Watching watching = {};
  bool is_traced = false;
  bool sends_all = false;  // nothing is evaluated, as of several jobs
  bool learns = true;      // if there is something to learn
  /// Without one, whole runs are never evaluated.
  const RunEvaluator* evaluator = nullptr;
  /// Without one, waiting is not divided by cause.
  const Explainer* explainer = nullptr;
};

/// What a run without data of the algorithm of that number comes to, but for the records of its iterations.
/// O(workers), and O(edges) for the graphs of some thousands of workers.
RunShape shape_of_run(const ScenarioJob& job, std::size_t index, const RunWays& ways);

}  // namespace starling
