#pragma once

#include <filesystem>
#include <vector>

#include "analysis/charts/report_document.hpp"

namespace starling {

/// What `starling model --out` wrote to model.json: the model beside the simulation, and, with --explain,
/// what gains over all-reduce are by. @throws ScenarioError if the file is none that it writes.
std::vector<ReportChart> model_charts(const std::filesystem::path& file);

/// The same as a page of its own.
Report model_report_page(const std::filesystem::path& file);

}  // namespace starling
