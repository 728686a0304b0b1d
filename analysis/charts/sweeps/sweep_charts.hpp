#pragma once

#include "analysis/charts/report_document.hpp"
#include "analysis/studies/sweep_store.hpp"

namespace starling {

/// What a sweep found: which algorithm is fastest how often, curves over what varies, a table of all
/// combinations to filter, sort and draw, and what failed or was left out. O(runs) in time.
/// @throws ScenarioError if no run has ended well.
Report sweep_report(const SweepStore& store);

}  // namespace starling
