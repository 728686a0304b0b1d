#pragma once

#include "analysis/charts/report_document.hpp"
#include "analysis/results/files/saved_result.hpp"

namespace starling {

/// What every worker did in one iteration, where the result's folder has a trace.json. @throws ScenarioError
/// if that is none.
ReportChart timeline_chart(const SavedResult& result);

}  // namespace starling
