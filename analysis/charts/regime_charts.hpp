#pragma once

#include <filesystem>

#include "analysis/charts/report_document.hpp"

namespace starling {

/// What `starling regimes` found, from its regimes.json: which algorithm is the fastest over communication to
/// compute, variation of compute times, and workers. @throws ScenarioError if the file is none that it
/// writes.
Report regimes_report(const std::filesystem::path& file);

}  // namespace starling
