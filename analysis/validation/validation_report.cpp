#include "analysis/validation/validation_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "analysis/statistics/interval_json.hpp"
#include "io/json/json_text.hpp"
#include "io/terminal/terminal.hpp"
#include "io/texts/text_table.hpp"
#include "io/version.hpp"

namespace starling {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t shown_worst_cases = 5;

Json phase_json(const PhaseComparison& phase) {
  return {{"phase", phase.part.key}, {"predicted_s", phase.predicted_s}, {"measured_s", phase.measured_s}};
}

Json case_json(const ValidationCase& one) {
  Json breakdown = Json::object();
  for (const PhaseComparison& phase : one.phases())
    breakdown[phase.part.key] = {{"predicted", phase.predicted_s}, {"measured", phase.measured_s}};
  return {{"scenario", one.scenario},
          {"label", one.label},
          {"workers", one.workers},
          {"network", one.network},
          {"imbalance", one.imbalance},
          {"engine", one.engine},
          {"predicted_s", one.predicted_s},
          {"measured_s", one.measured_s},
          {"relative_error", one.relative_error()},
          {"interval_90_s", or_null(one.interval_90_s)},
          {"coefficient_of_variation", or_null(one.coefficient_of_variation)},
          {"repetitions", or_null(one.repetitions)},
          {"breakdown_s", std::move(breakdown)},
          {"phase_that_differs", phase_json(one.phase_that_differs())}};
}

Json summary_json(const ValidationGroup& group) {
  return {{"cases", group.cases},
          {"mean_abs_error", group.mean_abs_error},
          {"worst_abs_error", group.worst_abs_error},
          {"mean_coefficient_of_variation", or_null(group.coefficient_of_variation)},
          {"inside_interval_90", group.with_interval > 0
                                     ? Json(static_cast<double>(group.inside_interval) / group.with_interval)
                                     : Json(nullptr)}};
}

Json group_json(const ValidationGroup& group) {
  Json json = {{"label", group.label}, {"imbalance", group.imbalance}, {"network", group.network}};
  json.update(summary_json(group));
  return json;
}

std::string error_text(double relative) { return fmt::format("{:+.1f} %", 100 * relative); }
TableRow row_of(const ValidationCase& one) {
  return {one.label,
          fmt::format("{}", one.workers),
          one.network,
          one.imbalance,
          time_text(one.predicted_s),
          time_text(one.measured_s),
          error_text(one.relative_error()),
          percent_text(one.coefficient_of_variation)};
}

std::string case_table(const Validation& validation) {
  std::vector<TableRow> rows{
      {"algorithm", "P", "network", "imbalance", "predicted", "measured", "error", "spread"}};
  for (const ValidationCase& one : validation.cases) rows.push_back(row_of(one));
  return aligned(rows);
}

std::string worst_table(const Validation& validation) {
  std::vector<TableRow> rows{{"worst cases", "P", "network", "imbalance", "error", "phase that differs most",
                              "predicted", "measured"}};
  for (const ValidationCase& one : worst_cases(validation.cases, shown_worst_cases)) {
    rows.push_back({one.label, fmt::format("{}", one.workers), one.network, one.imbalance,
                    error_text(one.relative_error())});
    const PhaseComparison phase = one.phase_that_differs();
    const TableRow cells = phase.difference_s() == 0 ? TableRow(3, "–")
                                                     : TableRow{phase.part.name, time_text(phase.predicted_s),
                                                                time_text(phase.measured_s)};
    rows.back().insert(rows.back().end(), cells.begin(), cells.end());
  }
  return aligned(rows);
}

/// The table of groups; empty where every group has only one case.
std::string group_table(const Validation& validation) {
  const auto groups = groups_of(validation.cases);
  if (groups.size() == validation.cases.size()) return "";
  std::vector<TableRow> rows{
      {"algorithm", "imbalance", "network", "cases", "mean |error|", "worst", "spread"}};
  for (const ValidationGroup& group : groups)
    rows.push_back({group.label, group.imbalance, group.network, fmt::format("{}", group.cases),
                    percent_text(group.mean_abs_error), percent_text(group.worst_abs_error),
                    percent_text(group.coefficient_of_variation)});
  return fmt::format("\n{}", aligned(rows));
}

std::string coverage_text(const ValidationGroup& summary) {
  if (summary.with_interval == 0) return "";
  return fmt::format("{} of {} measurements lie inside the 90 % intervals of their predictions\n",
                     summary.inside_interval, summary.with_interval);
}

std::string model_error_text(const Validation& validation) {
  if (!validation.model_error) return "";
  return fmt::format("90 % are within {:.1f} % of their prediction (cluster.model_error {:.2g})\n",
                     100 * *validation.model_error, *validation.model_error);
}

}  // namespace

Json validation_json(const Validation& validation) {
  Json cases = Json::array();
  for (const ValidationCase& one : validation.cases) cases.push_back(case_json(one));
  Json groups = Json::array();
  for (const ValidationGroup& group : groups_of(validation.cases)) groups.push_back(group_json(group));
  Json summary = summary_json(summary_of(validation.cases));
  summary["model_error"] = or_null(validation.model_error);
  return {{"starling", version()},
          {"summary", std::move(summary)},
          {"cases", std::move(cases)},
          {"groups", std::move(groups)},
          {"warnings", validation.warnings}};
}

std::string validation_table(const Validation& validation) {
  const ValidationGroup summary = summary_of(validation.cases);
  return fmt::format("{}{}\n{}\n{}: mean |error| {}, worst {}, mean spread of the measurements {}\n",
                     case_table(validation), group_table(validation), worst_table(validation),
                     counted(summary.cases, "case"), percent_text(summary.mean_abs_error),
                     percent_text(summary.worst_abs_error), percent_text(summary.coefficient_of_variation)) +
         coverage_text(summary) + model_error_text(validation);
}

}  // namespace starling
