#pragma once

#include <filesystem>
#include <string>

#include "analysis/charts/report_document.hpp"

namespace starling {

/// The report of a folder that `starling run`, `native`, `sweep`, `design`, `regimes` or `model` wrote, or of
/// the file in it that holds the result. @throws ScenarioError if there is no finished result, or it is not
/// valid.
Report report_of(const std::filesystem::path& folder_or_file);

/// The HTML page of a report, which needs no network. @throws std::runtime_error if Vega, which draws the
/// charts, is not installed.
std::string report_page(const Report& report);

/// Throws what report_page() would throw, so that a missing Vega shows before a long run.
void check_that_pages_can_be_made();

}  // namespace starling
