#include "analysis/charts/sensitivity_chart.hpp"

#include <doctest/doctest.h>

#include <string>

#include "io/scenario_error.hpp"
#include "tests/analysis/charts/report_tables.hpp"
#include "tests/io/scratch_folder.hpp"

namespace starling {
namespace {

using nlohmann::json;

/// Sensitivities of ddp: to a bandwidth, with an interval, and to a latency that has no effect and no
/// interval.
constexpr const char* two_numbers = R"json({"starling": "0.2.0", "step": 0.1, "numbers": [
  {"pointer": "/cluster/network/link/bandwidth", "value": 1.25e9, "is_one_sided": false,
   "runs": [{"label": "ddp", "elasticity": -0.7, "elasticity_interval_95": [-0.75, -0.65]}]},
  {"pointer": "/cluster/protocols/2/latency", "name": "/cluster/protocols/Simple/latency", "value": [0.5, 1],
   "is_one_sided": true,
   "runs": [{"label": "ddp", "elasticity": 0, "elasticity_interval_95": null}]}]})json";

ReportChart chart_in(const ScratchFolder& folder, const char* engine = "fair") {
  SavedResult result;
  result.file = folder.path() / "result.json";
  result.engine = engine;
  return sensitivity_chart(result);
}

TEST_CASE(
    "the chart has the elasticity of each algorithm to each number, with 95 % intervals where there are "
    "some") {
  const ScratchFolder folder;
  folder.write("sensitivity.json", two_numbers);
  const ReportChart chart = chart_in(folder);
  CHECK(column_of(chart, "algorithm") == std::vector<json>{"ddp", "ddp"});
  CHECK(column_of(chart, "number") ==
        std::vector<json>{"/cluster/network/link/bandwidth", "/cluster/protocols/Simple/latency"});
  CHECK(column_of(chart, "value") == std::vector<json>{1.25e9, "[0.5,1]"});
  CHECK(column_of(chart, "elasticity_percent") == std::vector<json>{-0.7, 0});
  CHECK(column_of(chart, "interval_95_least_percent") == std::vector<json>{-0.75, nullptr});
  CHECK(column_of(chart, "interval_95_greatest_percent") == std::vector<json>{-0.65, nullptr});
  CHECK(column_of(chart, "is_one_sided") == std::vector<json>{false, true});
  CHECK(chart.note.find("multiplied by 1.1 and by 1/1.1") != std::string::npos);
}

TEST_CASE("sensitivities of another scenario are left out of a result's report, and the chart says so") {
  const ScratchFolder folder;
  json document = json::parse(two_numbers);
  document["scenario_hash"] = "of another";
  folder.write("sensitivity.json", document.dump());
  SavedResult result{.file = folder.path() / "result.json", .scenario = {}, .engine = "fair", .runs = {}};
  CHECK_FALSE(sensitivity_chart(result).is_blank());  // results of older versions have no hash to compare
  result.document = {{"scenario_hash", "of this one"}};
  CHECK(sensitivity_chart(result).blank.starts_with("sensitivity.json here is left out: "));
  CHECK(sensitivity_chart(result).table.rows() == 0);
  document["scenario_hash"] = "of this one";
  folder.write("sensitivity.json", document.dump());
  CHECK(sensitivity_chart(result).table.rows() == 2);
  folder.write("sensitivity.json", two_numbers);  // a file without a hash of its scenario
  CHECK(sensitivity_chart(result).table.rows() == 2);
}

TEST_CASE("without sensitivities the chart of a simulation names the option that computes them") {
  const ScratchFolder folder;
  CHECK(chart_in(folder).blank.find("starling run --sensitivity") != std::string::npos);
  CHECK(chart_in(folder, "mpi").blank.find("starling run") == std::string::npos);
}

TEST_CASE("a malformed sensitivity.json is refused by an error that names it") {
  const ScratchFolder folder;
  const std::string no_numbers = R"({"step": 0.1, "numbers": []})";
  const std::string no_number = R"({"step": 0.1, "numbers": [{}]})";
  for (const std::string& text : {std::string("[]"), std::string("{}"), no_numbers, no_number}) {
    folder.write("sensitivity.json", text);
    try {
      chart_in(folder);
      FAIL("not refused: " << text);
    } catch (const ScenarioError& error) {
      CHECK(std::string(error.what()).find("sensitivity.json") != std::string::npos);
    }
  }
}

}  // namespace
}  // namespace starling
