#pragma once

#include "analysis/charts/report_document.hpp"
#include "analysis/results/files/saved_result.hpp"

namespace starling {

/// The report of a result.json alone: question, answer and facts; charts of iteration times with their parts
/// and intervals, of active workers, staleness, loss and distance of models.
Report result_report(const SavedResult& result);

}  // namespace starling
