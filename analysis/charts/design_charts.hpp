#pragma once

#include <filesystem>

#include "analysis/charts/report_document.hpp"

namespace starling {

/// The report of a design.json, as `starling design` writes it: the objective over the price, with the Pareto
/// front, and all candidates. @throws ScenarioError if the file is not of that form.
Report design_report(const std::filesystem::path& file);

}  // namespace starling
