#pragma once

#include <filesystem>

#include "analysis/charts/report_document.hpp"

namespace starling {

/// What `starling design` found, from its design.json: price against what was asked for, with the Pareto
/// front, and all candidates. @throws ScenarioError if the file is none that it writes.
Report design_report(const std::filesystem::path& file);

}  // namespace starling
