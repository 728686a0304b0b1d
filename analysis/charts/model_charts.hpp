#pragma once

#include <filesystem>
#include <vector>

#include "analysis/charts/report_document.hpp"
#include "analysis/results/files/saved_result.hpp"

namespace starling {

/// The charts of a model.json, as `starling model --out` writes it: the causes of gains over all-reduce
/// (--explain), and the model compared with the simulation. They are blank if the file is of another scenario
/// than the result beside it. @throws ScenarioError if the file is not of that form.
std::vector<ReportChart> model_charts(const std::filesystem::path& file, const SavedResult& beside);

/// A report of a model.json alone.
Report model_report_page(const std::filesystem::path& file);

}  // namespace starling
