#pragma once

#include "analysis/charts/report_document.hpp"
#include "analysis/results/files/saved_result.hpp"

namespace starling {

/// How much each number of the scenario matters, from sensitivity.json, which `starling run --sensitivity`
/// writes beside a result; blank where there is none. @throws ScenarioError if the file is none that it
/// writes.
ReportChart sensitivity_chart(const SavedResult& result);

}  // namespace starling
