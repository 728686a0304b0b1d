#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/charts/report_document.hpp"

namespace starling {

inline const ReportChart& chart_named(const Report& report, const std::string& id) {
  const auto found = std::ranges::find(report.charts, id, &ReportChart::id);
  REQUIRE(found != report.charts.end());
  return *found;
}

/// The values of a column.
inline const std::vector<nlohmann::json>& column_of(const ReportChart& chart, const std::string& name) {
  const auto& columns = chart.table.columns;
  const auto found = std::ranges::find(columns, name, &ReportColumn::name);
  REQUIRE(found != columns.end());
  return chart.table.values[static_cast<std::size_t>(found - columns.begin())];
}

}  // namespace starling
