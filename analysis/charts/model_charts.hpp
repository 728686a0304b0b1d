#pragma once

#include <filesystem>
#include <vector>

#include "analysis/charts/report_document.hpp"
#include "analysis/results/files/saved_result.hpp"

namespace starling {

/// What `starling model --out` wrote to model.json: the model beside the simulation, and, with --explain,
/// what gains over all-reduce are by; blank where that is of another scenario than the result beside it.
/// @throws ScenarioError if the file is none that it writes.
std::vector<ReportChart> model_charts(const std::filesystem::path& file, const SavedResult& beside);

/// The same as a page of its own.
Report model_report_page(const std::filesystem::path& file);

}  // namespace starling
