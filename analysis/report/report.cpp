#include "analysis/report/report.hpp"

#include "analysis/report/link_charts.hpp"
#include "analysis/report/report_page.hpp"
#include "analysis/report/result_charts.hpp"
#include "analysis/report/timeline_chart.hpp"
#include "io/scenario_error.hpp"
#include "io/version.hpp"

namespace starling {

namespace {

bool has(const std::filesystem::path& folder, const char* file) {
  return std::filesystem::exists(folder / file);
}

void check_that_there_is_something(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder) || has(folder, "result.json") ||
      has(folder, "result.partial.json"))
    return;
  throw ScenarioError({folder.string(), "", "there is nothing to report in this folder", "",
                       "one that starling run, native, sweep or design has written"});
}

}  // namespace

Report report_of(const std::filesystem::path& folder_or_file) {
  check_that_there_is_something(folder_or_file);
  const SavedResult result = read_result(folder_or_file);
  Report report = result_report(result);
  const auto after_times = report.charts.begin() + 1;
  report.charts.insert(after_times, {timeline_chart(result), link_chart(result)});
  return report;
}

std::string report_page(const Report& report) {
  nlohmann::json data = report_json(report);
  data["starling"] = version();
  return page_text(data);
}

void check_that_pages_can_be_made() { report_page({}); }

}  // namespace starling
