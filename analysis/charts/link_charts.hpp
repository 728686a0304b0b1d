#pragma once

#include "analysis/charts/report_document.hpp"
#include "analysis/results/files/saved_result.hpp"

namespace starling {

/// A chart of how busy the network's links were, on a picture of the network if that can be built from the
/// scenario.
ReportChart link_chart(const SavedResult& result);

}  // namespace starling
