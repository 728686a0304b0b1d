#pragma once

#include <functional>

#include "analysis/results/result.hpp"
#include "analysis/results/trace_json.hpp"
#include "io/progress_line.hpp"
#include "workloads/records/iteration_log.hpp"

namespace starling {

/// Who wants to know how a run goes on; every member may be empty.
struct RunObservers {
  ProgressLine* progress = nullptr;
  TraceJson* trace = nullptr;
  /// Of a run over several processes: a process has the timeline's file, and this must be true in all.
  bool is_traced = false;
  /// Called after every algorithm with the result so far, the last run being the one that just ended, and
  /// that run's log.
  std::function<void(const Result&, const IterationLog&)> run_finished = {};
  /// False: waiting is not divided by cause in breakdown_s, which saves algorithms that do not wait for
  /// everyone a second run, and no spectral gap is computed.
  bool wants_explanation = true;
};

}  // namespace starling
