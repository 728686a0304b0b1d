#pragma once

#include <cstddef>

#include "analysis/effort/run_effort.hpp"
#include "analysis/running/run_evaluator.hpp"
#include "analysis/running/run_observers.hpp"
#include "analysis/running/scenario_job.hpp"

namespace starling {

/// How a job is run, as far as its demand depends on that.
struct RunConditions {
  Watching watching = {};
  bool is_traced = false;
  bool sends_all = false;  // every message is simulated, nothing evaluated, as with several jobs
  bool learns = true;      // if the scenario has a learning task
  /// If null, no run is evaluated as a whole.
  const RunEvaluator* evaluator = nullptr;
  /// If null, waiting is not divided by cause.
  const Explainer* explainer = nullptr;
};

/// The shape of a run of the `index`-th algorithm without real data; `logged_bytes` is left 0. O(workers),
/// and O(edges) for graphs of some thousands of workers.
RunShape shape_of_run(const ScenarioJob& job, std::size_t index, const RunConditions& conditions);

}  // namespace starling
