#pragma once

#include "analysis/charts/report_document.hpp"
#include "analysis/results/files/saved_result.hpp"

namespace starling {

/// How busy the network's links were, on its picture where the scenario's network can be built again.
ReportChart link_chart(const SavedResult& result);

}  // namespace starling
