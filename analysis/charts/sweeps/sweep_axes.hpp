#pragma once

#include <nlohmann/json.hpp>

#include "analysis/charts/report_document.hpp"
#include "analysis/studies/sweep_plan.hpp"

namespace starling {

/// What charts of a sweep can be drawn over: `dimensions`, each with its values as texts in order, and also
/// as `numbers` with their `unit` if they are numbers or quantities; `figures`, the names of the table's
/// columns of figures; and the initial choice of `x`, `y` and `color`.
nlohmann::json sweep_axes(const SweepPlan& plan, const ReportTable& table);

}  // namespace starling
