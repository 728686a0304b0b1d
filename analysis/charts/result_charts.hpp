#pragma once

#include "analysis/charts/report_document.hpp"
#include "analysis/results/files/saved_result.hpp"

namespace starling {

/// What a result says without its other files: question, answer, facts; iteration times with their parts and
/// intervals, who took part in averages, how old what they averaged was, and what was learned.
Report result_report(const SavedResult& result);

}  // namespace starling
