#include "analysis/charts/sensitivity_chart.hpp"

#include <fmt/format.h>

#include <utility>

#include "analysis/charts/saved_document.hpp"
#include "io/json/json_text.hpp"

namespace starling {
namespace {

using nlohmann::json;

ReportChart empty_chart() {
  return {.id = "sensitivity",
          .kind = "ranking",
          .title = "By how many percent an iteration grows with one percent more of a number",
          .table = {.columns = {{"algorithm", "algorithm"},
                                {"number", "number of the scenario"},
                                {"value", "value"},
                                {"elasticity_percent", "growth of the iteration", "%"},
                                {"interval_95_least_percent", "95 % from", "%"},
                                {"interval_95_greatest_percent", "to", "%"},
                                {"is_one_sided", "only less, or only more, was tried"}}},
          .options = {{"value", "elasticity_percent"},
                      {"name", "number"},
                      {"interval", {"interval_95_least_percent", "interval_95_greatest_percent"}}}};
}

ReportChart chart_of(const json& document) {
  ReportChart chart = empty_chart();
  chart.note = fmt::format(
      "The scenario was run anew with {0:g} and 1/{0:g} times as much of each number, with the same seed. "
      "What has a bar to the left makes iterations shorter when it grows; the whisker is the 95 % interval. "
      "All numbers that were tried are in the table, also those that change nothing.",
      1 + document.at("step").get<double>());
  for (const json& number : document.at("numbers"))
    for (const json& run : number.at("runs")) {
      const json& value = number.at("value");
      chart.table.add_row({run.at("label"), number.value("name", number.at("pointer").get<std::string>()),
                           value.is_number() ? value : json(value.dump()), run.at("elasticity"),
                           value_at(run, "/elasticity_interval_95/0"),
                           value_at(run, "/elasticity_interval_95/1"), number.at("is_one_sided")});
    }
  return chart;
}

}  // namespace

ReportChart sensitivity_chart(const SavedResult& result) {
  const std::filesystem::path file = result.file.parent_path() / "sensitivity.json";
  if (std::filesystem::exists(file))
    return read_saved(file, "what starling run --sensitivity writes", "/numbers", [&](const json& document) {
      ReportChart chart = chart_of(document);
      return replaced_by_reason(std::move(chart), why_left_out(document, file, result));
    });
  ReportChart chart = empty_chart();
  chart.blank = result.is_measured() ? "Measurements do not tell which numbers matter."
                                     : "Which numbers matter was not tried; starling run --sensitivity does.";
  return chart;
}

}  // namespace starling
