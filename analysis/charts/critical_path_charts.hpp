#pragma once

#include <string>
#include <vector>

#include "analysis/charts/report_document.hpp"
#include "analysis/results/files/saved_result.hpp"

namespace starling {

/// Charts of the critical path of every algorithm's mean iteration: the time by what it was spent on, and the
/// greatest parts by ranks and links. If the result has no critical path, a single blank chart with the
/// reason.
std::vector<ReportChart> critical_path_charts(const SavedResult& result);

/// A sentence on the critical path of one algorithm; empty if its block of result.json has none.
std::string critical_path_sentence(const nlohmann::json& block);

}  // namespace starling
