#include "analysis/charts/regime_charts.hpp"

#include <doctest/doctest.h>

#include <string>

#include "analysis/report/report.hpp"
#include "tests/analysis/charts/report_tables.hpp"
#include "tests/io/scratch_folder.hpp"

namespace starling {
namespace {

using nlohmann::json;

/// A regime map of three points. ddp is the fastest at two of them, one of which the model attributes to
/// wagma; wagma is the fastest at the third, but not significantly.
json small_map() {
  return json::parse(R"json({
    "starling": "0.2.0", "name": "small", "engine": "fair", "law": "gamma", "workers": [4],
    "communication_to_compute": [0.1, 0.4, 1.6], "coefficient_of_variation": [0.2],
    "algorithms": ["ddp", "wagma", "own"],
    "points": [
      {"workers": 4, "communication_to_compute": 0.1, "coefficient_of_variation": 0.2, "compute_s": 2.0,
       "fastest": "ddp", "second": "wagma", "gain": 0.25, "is_decided": true, "is_simulated": false,
       "fastest_by_model": "ddp", "is_gain_sure": true,
       "algorithms": [{"label": "ddp", "model_s": 2.4, "validity": "exact", "simulated_s": null},
                      {"label": "wagma", "model_s": 3.0, "validity": "exact", "simulated_s": null},
                      {"label": "own", "model_s": null, "simulated_s": null}]},
      {"workers": 4, "communication_to_compute": 0.4, "coefficient_of_variation": 0.2, "compute_s": 1.0,
       "fastest": "ddp", "second": "wagma", "gain": 0.125, "is_decided": true, "is_simulated": true,
       "fastest_by_model": "wagma", "is_gain_sure": true,
       "algorithms": [{"label": "ddp", "model_s": 1.2, "validity": "exact", "simulated_s": 1.2},
                      {"label": "wagma", "model_s": 1.1, "validity": "lower bound", "simulated_s": 1.35},
                      {"label": "own", "model_s": null, "simulated_s": 2.5}]},
      {"workers": 4, "communication_to_compute": 1.6, "coefficient_of_variation": 0.2, "compute_s": 0.5,
       "fastest": "wagma", "second": "ddp", "gain": 0.01, "is_decided": false, "is_simulated": true,
       "fastest_by_model": "wagma", "is_gain_sure": true,
       "algorithms": [{"label": "ddp", "model_s": 1.01, "validity": "exact", "simulated_s": 1.01},
                      {"label": "wagma", "model_s": 1.0, "validity": "lower bound", "simulated_s": 1.0},
                      {"label": "own", "model_s": null, "simulated_s": 2.0}]}]})json");
}

Report report_of_map(const json& map) {
  const ScratchFolder folder;
  folder.write("regimes.json", map.dump());
  return report_of(folder.path());
}

TEST_CASE(
    "the report of a regime map says how often each algorithm is the fastest and where it gains the most") {
  const Report report = report_of_map(small_map());
  CHECK(report.title == "small");
  CHECK(report.question.starts_with("Which of 3 algorithms is the fastest"));
  CHECK(report.answer ==
        std::vector<std::string>{
            "ddp is certainly the fastest at 2 of 3 points.",
            "The greatest gain is that of ddp with 4 workers, communication to compute 0.1 and variation "
            "0.2: the "
            "second, wagma, takes 25.0 % longer.",
            "Nowhere the fastest: own.",
            "At 1 point the fastest is not certainly faster than the second: wagma at 1. Simulated: 2 "
            "points; at 1 of them the fastest algorithm is not that of the model."});
}

TEST_CASE("the greatest gain named is one that is certain, or the model's if no gain is certain") {
  json map = small_map();
  map["points"][0]["is_gain_sure"] = false;
  CHECK(report_of_map(map).answer[1] ==
        "Where gains are certain, the greatest gain is that of ddp with 4 workers, communication to compute "
        "0.4 "
        "and "
        "variation 0.2: the second, wagma, takes 12.5 % longer.");
  for (json& point : map["points"]) point["is_gain_sure"] = false;
  const Report report = report_of_map(map);
  CHECK(report.answer[1].starts_with("By the model, the greatest gain is that of ddp with 4 workers"));
  CHECK(column_of(chart_named(report, "regimes"), "is_gain_sure") == std::vector<json>{"no", "no", "no"});
}

TEST_CASE("every point of a regime map is a row with its winner, gain and all times") {
  const Report report = report_of_map(small_map());
  const ReportChart& chart = chart_named(report, "regimes");
  CHECK(column_of(chart, "communication_to_compute") == std::vector<json>{0.1, 0.4, 1.6});
  CHECK(column_of(chart, "fastest") == std::vector<json>{"ddp", "ddp", "wagma"});
  CHECK(column_of(chart, "gain_percent") == std::vector<json>{25.0, 12.5, 1.0});
  CHECK(column_of(chart, "is_gain_sure") == std::vector<json>{"yes", "yes", "yes"});
  CHECK(column_of(chart, "is_decided") == std::vector<json>{"yes", "yes", "no"});
  CHECK(column_of(chart, "is_simulated") == std::vector<json>{"no", "yes", "yes"});
  CHECK(column_of(chart, "fastest_by_model") == std::vector<json>{"ddp", "wagma", "wagma"});
  CHECK(column_of(chart, "wagma_model_s") == std::vector<json>{3.0, 1.1, 1.0});
  CHECK(column_of(chart, "own_simulated_s") == std::vector<json>{nullptr, 2.5, 2.0});
  CHECK(chart.options.at("algorithms") == json{"ddp", "wagma", "own"});
  const json& figures = chart.options.at("figures");
  CHECK(std::ranges::find(figures, json("own_simulated_s")) != figures.end());
  CHECK(std::ranges::find(figures, json("own_model_s")) == figures.end());
  CHECK(chart_named(report, "explorer").data_of == "regimes");
}

TEST_CASE("a regime map with one winner says so; one without points is blank") {
  json map = small_map();
  map["points"][2]["is_decided"] = true;
  CHECK(report_of_map(map).answer.front() == "ddp is the fastest at 2 of 3 points, wagma at 1.");
  for (json& point : map["points"]) point["fastest"] = "ddp";
  CHECK(report_of_map(map).answer.front() == "ddp is the fastest at all 3 points.");
  for (json& point : map["points"]) point["is_decided"] = false;
  CHECK(report_of_map(map).answer.front() ==
        "None of the algorithms is certainly the fastest at any of 3 points.");
  map["points"] = json::array();
  const Report report = report_of_map(map);
  CHECK(report.charts.size() == 1);
  CHECK(report.charts.front().blank == "The map has no points.");
}

TEST_CASE("a malformed regime map is refused by an error that names its file") {
  const ScratchFolder folder;
  json map = small_map();
  map["points"][1].erase("gain");
  folder.write("regimes.json", map.dump());
  const std::string error = error_of(folder.path(), [&] { report_of(folder.path() / "regimes.json"); });
  CHECK(error.starts_with("regimes.json: not of the expected form"));
  CHECK(error.find("'gain'") != std::string::npos);
  CHECK(error.find("what starling regimes writes") != std::string::npos);

  map = small_map();
  map["points"][1]["algorithms"].erase(1);
  folder.write("regimes.json", map.dump());
  CHECK(error_of(folder.path(), [&] {
          report_of(folder.path() / "regimes.json");
        }).starts_with("regimes.json: not of the expected form"));
}

}  // namespace
}  // namespace starling
