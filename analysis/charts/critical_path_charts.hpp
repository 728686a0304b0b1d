#pragma once

#include <string>
#include <vector>

#include "analysis/charts/report_document.hpp"
#include "analysis/results/files/saved_result.hpp"

namespace starling {

/// What the mean iteration of every algorithm had to wait for, one thing after the other: by what it was
/// spent on, and the greatest parts by their ranks and links. One blank chart that says why in place of both
/// where the result has no critical path.
std::vector<ReportChart> critical_path_charts(const SavedResult& result);

/// The same of one algorithm as a sentence; empty where its block of result.json has no critical path.
std::string critical_path_sentence(const nlohmann::json& block);

}  // namespace starling
