#pragma once

#include <functional>

#include "scenarios/progress_line.hpp"
#include "scenarios/result.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/trace_json.hpp"
#include "workloads/iteration_log.hpp"

namespace starling {

/// Who wants to know how a simulation goes on; every member may be empty.
struct RunObservers {
  ProgressLine* progress = nullptr;
  TraceJson* trace = nullptr;
  /// Called after every algorithm with the result so far, the last run being the one that just ended, and
  /// that run's log.
  std::function<void(const Result&, const IterationLog&)> run_finished = {};
  /// False: waiting is not divided by cause in breakdown_s, which saves algorithms that do not wait for everyone a
  /// second run.
  bool wants_breakdown = true;
};

/// Runs every algorithm of the scenario, one after the other, each on an idle network and with the same
/// random draws.
///
/// @throws DeadlockError, CommunicationError if a run cannot go on; ScenarioError if an algorithm does not
/// fit the cluster.
Result simulate(const Scenario& scenario, const RunObservers& observers = {});

}  // namespace starling
