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
          .title = "Growth of the iteration time in percent if a number grows by one percent",
          .table = {.columns = {{"algorithm", "algorithm"},
                                {"number", "number of the scenario"},
                                {"value", "value"},
                                {"elasticity_percent", "growth of the iteration", "%"},
                                {"interval_95_least_percent", "95 % from", "%"},
                                {"interval_95_greatest_percent", "to", "%"},
                                {"is_one_sided", "changed in one direction only"}}},
          .options = {{"value", "elasticity_percent"},
                      {"name", "number"},
                      {"interval", {"interval_95_least_percent", "interval_95_greatest_percent"}}}};
}

ReportChart chart_of(const json& document) {
  ReportChart chart = empty_chart();
  chart.note = fmt::format(
      "The scenario was run again with each number multiplied by {0:g} and by 1/{0:g}, with the same seed. A "
      "bar to the left means shorter iterations as the number grows; the whisker is the 95 % interval. The "
      "table has all numbers that were tried, including those without effect.",
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
  chart.blank = result.is_measured()
                    ? "There is no sensitivity analysis of measurements."
                    : "The run made no sensitivity analysis; use starling run --sensitivity.";
  return chart;
}

}  // namespace starling
