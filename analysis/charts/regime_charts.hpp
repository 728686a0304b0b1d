#pragma once

#include <filesystem>

#include "analysis/charts/report_document.hpp"

namespace starling {

/// The report of a regimes.json, as `starling regimes` writes it: which algorithm is the fastest, over the
/// ratio of communication to compute, the variation of compute times, and the number of workers. @throws
/// ScenarioError if the file is not of that form.
Report regimes_report(const std::filesystem::path& file);

}  // namespace starling
