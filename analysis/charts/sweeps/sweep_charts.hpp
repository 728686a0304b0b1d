#pragma once

#include "analysis/charts/report_document.hpp"
#include "analysis/studies/sweep_store.hpp"

namespace starling {

/// The report of a sweep: how often each algorithm is the fastest, curves over what varies, a table of all
/// combinations to filter, sort and draw, and what failed or was left out. O(runs) in time. @throws
/// ScenarioError if no run has succeeded.
Report sweep_report(const SweepStore& store);

}  // namespace starling
