#include "analysis/report/report.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "analysis/charts/critical_path_charts.hpp"
#include "analysis/charts/design_charts.hpp"
#include "analysis/charts/link_charts.hpp"
#include "analysis/charts/model_charts.hpp"
#include "analysis/charts/regime_charts.hpp"
#include "analysis/charts/result_charts.hpp"
#include "analysis/charts/sensitivity_chart.hpp"
#include "analysis/charts/sweeps/sweep_charts.hpp"
#include "analysis/charts/timeline_chart.hpp"
#include "analysis/report/report_page.hpp"
#include "io/scenario_error.hpp"
#include "io/version.hpp"

namespace starling {

namespace {

bool has(const std::filesystem::path& folder, const char* file) {
  return std::filesystem::exists(folder / file);
}

/// The file of that name, if `given` is that file or a folder that has it; nullopt otherwise.
std::optional<std::filesystem::path> file_named(const std::filesystem::path& given, const char* name) {
  if (given.filename() == name) return given;
  if (std::filesystem::is_directory(given) && has(given, name)) return given / name;
  return std::nullopt;
}

constexpr const char* accepted =
    "a folder that starling run, native, sweep, design, regimes or model --out has written, or its "
    "result.json, sweep.sqlite, design.json, regimes.json or model.json";

void check_that_there_is_something(const std::filesystem::path& given) {
  if (!std::filesystem::exists(given))
    throw ScenarioError({given.string(), "", "there is no such file or folder", "", accepted});
  if (!std::filesystem::is_directory(given) || has(given, "result.json") || has(given, "result.partial.json"))
    return;
  if (has(given, "regimes_points.jsonl"))
    throw ScenarioError({given.string(), "",
                         "starling regimes, which writes to this folder, has not finished", "",
                         "the same command again, which continues from the finished points"});
  if (has(given, "reproduce.json"))
    throw ScenarioError({given.string(), "", "a reproduction has no report page", "reproduce.json",
                         "its picture reproduce.svg, or the same command again, which continues from there"});
  throw ScenarioError({given.string(), "", "there is nothing to report in this folder", "", accepted});
}

/// The chart of sensitivities. Without one, a scenario of several jobs gets a reason of its own, as
/// --sensitivity does not apply to jobs.
ReportChart sensitivity_chart_or_reason(const SavedResult& result) {
  ReportChart chart = sensitivity_chart(result);
  if (chart.is_blank() && result.has_jobs())
    chart.blank = "Sensitivity analysis is available for algorithms only, not for several jobs.";
  return chart;
}

Report report_of_run(const SavedResult& result) {
  Report report = result_report(result);
  std::vector<ReportChart> more = critical_path_charts(result);
  more.push_back(timeline_chart(result));
  more.push_back(link_chart(result));
  more.push_back(sensitivity_chart_or_reason(result));
  const auto after_times = report.charts.begin() + 1;
  report.charts.insert(after_times, std::make_move_iterator(more.begin()),
                       std::make_move_iterator(more.end()));
  if (const std::filesystem::path model = result.file.parent_path() / "model.json";
      std::filesystem::exists(model))
    std::ranges::move(model_charts(model, result), std::back_inserter(report.charts));
  return report;
}

/// The report of a folder or file of any kind.
Report report_of_any(const std::filesystem::path& given) {
  if (const auto design = file_named(given, "design.json")) return design_report(*design);
  if (const auto map = file_named(given, "regimes.json")) return regimes_report(*map);
  if (const auto store = file_named(given, "sweep.sqlite"))
    return sweep_report(SweepStore::open(store->parent_path()));
  const bool has_result = file_named(given, "result.json").has_value();
  if (const auto model = file_named(given, "model.json"); model && !has_result)
    return model_report_page(*model);
  check_that_there_is_something(given);
  const SavedResult result = read_result(given);
  return naming_version(result.document, [&] {
    return naming_file(result.file, written_result, [&] { return report_of_run(result); });
  });
}

}  // namespace

Report report_of(const std::filesystem::path& folder_or_file) {
  try {
    return report_of_any(folder_or_file);
  } catch (const ScenarioError& error) {
    ScenarioError::Description description = error.description();
    if (description.expected.empty()) description.expected = accepted;
    throw ScenarioError(description);
  }
}

std::string report_page(const Report& report) {
  nlohmann::json data = report_json(report);
  data["starling"] = version();
  return page_text(data);
}

void check_that_pages_can_be_made() { report_page({}); }

}  // namespace starling
