#pragma once

#include "analysis/charts/report_document.hpp"
#include "analysis/results/files/saved_result.hpp"

namespace starling {

/// A chart of how much each number of the scenario matters, from the sensitivity.json that `starling run
/// --sensitivity` writes beside a result; blank if there is none. @throws ScenarioError if the file is not of
/// that form.
ReportChart sensitivity_chart(const SavedResult& result);

}  // namespace starling
