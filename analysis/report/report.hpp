#pragma once

#include <filesystem>
#include <string>

#include "analysis/charts/report_document.hpp"

namespace starling {

/// A report of what is there: a folder that `starling run`, `native`, `sweep`, `design`, `regimes` or `model`
/// wrote, or the file of it that holds the result. @throws ScenarioError if there is nothing finished, or not
/// of the form that it should have.
Report report_of(const std::filesystem::path& folder_or_file);

/// The page of it, which shows all it has without a network. @throws std::runtime_error if Vega, which draws
/// the charts, is not installed.
std::string report_page(const Report& report);

/// The same exception, before somebody waits for what is to be reported.
void check_that_pages_can_be_made();

}  // namespace starling
