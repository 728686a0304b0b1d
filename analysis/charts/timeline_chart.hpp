#pragma once

#include "analysis/charts/report_document.hpp"
#include "analysis/results/files/saved_result.hpp"

namespace starling {

/// A chart of what every worker did in one iteration, from the trace.json beside the result; blank if there
/// is none. @throws ScenarioError if that file is not valid.
ReportChart timeline_chart(const SavedResult& result);

}  // namespace starling
