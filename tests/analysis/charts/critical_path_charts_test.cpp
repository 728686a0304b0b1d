#include "analysis/charts/critical_path_charts.hpp"

#include <doctest/doctest.h>

#include <string>

#include "tests/analysis/charts/report_tables.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

using nlohmann::json;

/// A critical path of 0.2 s: 0.15 s of computing on ranks 3 and 1, and 0.05 s on a link.
json block_with_path() {
  return json::parse(R"json({"label": "ddp", "critical_path": {"iteration_s": 0.2,
    "spent_s": {"compute": 0.15, "delay": 0, "reduction": 0, "overhead": 0, "timer": 0, "link": 0.05,
                "latency": 0, "unknown": 0},
    "parts": [{"spent_on": "compute", "rank": 3, "s": 0.11},
              {"spent_on": "link", "link": "host4 -> leaf0", "s": 0.05},
              {"spent_on": "compute", "rank": 1, "s": 0.04}]}})json");
}

SavedResult result_of(json document) {
  SavedResult result;
  result.engine = "fair";
  result.document = std::move(document);
  return result;
}

TEST_CASE("a critical path has a chart of its kinds of time, and one of its named parts") {
  const std::vector<ReportChart> charts =
      critical_path_charts(result_of({{"runs", {block_with_path(), {{"label", "without"}}}}}));
  REQUIRE(charts.size() == 2);
  CHECK(column_of(charts[0], "algorithm") == std::vector<json>{"ddp"});
  CHECK(column_of(charts[0], "iteration_time_s") == std::vector<json>{0.2});
  CHECK(column_of(charts[0], "compute_s") == std::vector<json>{0.15});
  CHECK(column_of(charts[0], "link_s") == std::vector<json>{0.05});
  CHECK(charts[0].options.at("parts").size() == charts[0].table.columns.size() - 2);
  CHECK(column_of(charts[1], "part") ==
        std::vector<json>{"compute of rank 3", "link host4 -> leaf0", "compute of rank 1"});
  CHECK(column_of(charts[1], "share_percent")[1].get<double>() == about(25));
  CHECK(critical_path_sentence(block_with_path()) ==
        "On its critical path, 75.0 % is compute; the greatest part is compute of rank 3, 55.0 %.");
}

TEST_CASE("the sentence does not repeat a kind of time that consists of a single part") {
  json block = block_with_path();
  json& path = block["critical_path"];
  path["parts"][0] = {{"spent_on", "latency"}, {"s", 0.11}};
  path["spent_s"].update({{"compute", 0.04}, {"latency", 0.11}});
  CHECK(critical_path_sentence(block) == "On its critical path, 55.0 % is latency.");
}

TEST_CASE("charts of jobs give the cluster's numbers of workers, as the timeline does") {
  json vision = block_with_path();
  vision.update({{"label", "vision"}, {"ranks", {0, 2, 4, 6}}});
  vision["critical_path"]["parts"][2]["job"] = "language";
  const json language{{"label", "language"}, {"ranks", {1, 3}}};
  const std::vector<ReportChart> charts =
      critical_path_charts(result_of({{"runs", json::array()}, {"jobs", {vision, language}}}));
  CHECK(column_of(charts[1], "part") ==
        std::vector<json>{"compute of worker 6", "link host4 -> leaf0", "compute of worker 3 of language"});
  CHECK(column_of(charts[0], "job") == std::vector<json>{"vision"});
  CHECK(
      charts[1].note ==
      "Workers are numbered as in the cluster, like in the timeline; result.json has each job's own ranks.");
}

TEST_CASE("of 150 parts of a path only the greatest 100 are shown, and the page says so") {
  json block = block_with_path();
  json& parts = block["critical_path"]["parts"];
  parts.clear();
  for (int rank = 0; rank < 150; ++rank)
    parts.push_back({{"spent_on", "compute"}, {"rank", rank}, {"s", 1e-3 * (150 - rank)}});
  const ReportChart parts_chart = critical_path_charts(result_of({{"runs", {block}}}))[1];
  CHECK(parts_chart.table.rows() == 100);
  CHECK(column_of(parts_chart, "part").back() == "compute of rank 99");
  CHECK(parts_chart.note == "The 100 greatest of up to 150; all are in result.json.");
}

TEST_CASE("results without critical paths say why there are none") {
  const auto blank_of = [](const json& document, const char* engine) {
    SavedResult result = result_of(document);
    result.engine = engine;
    const std::vector<ReportChart> charts = critical_path_charts(result);
    REQUIRE(charts.size() == 1);
    return charts.front().blank;
  };
  const json runs{{"runs", {{{"label", "ddp"}}}}};
  CHECK(blank_of(runs, "fair").find("starling run --critical-path") != std::string::npos);
  CHECK(blank_of(runs, "mpi").starts_with("Measurements do not record"));
  const json jobs{{"runs", json::array()}, {"jobs", {{{"name", "vision"}}}}};
  CHECK(blank_of(jobs, "fair").find("starling run --critical-path") != std::string::npos);
  CHECK(critical_path_sentence({{"label", "ddp"}}).empty());
  const json too_long{{"label", "ddp"}, {"critical_path", nullptr}};
  CHECK(blank_of({{"runs", {too_long}}}, "fair")
            .starts_with("An iteration has more steps than the critical path analysis keeps"));
  CHECK(critical_path_sentence(too_long).empty());
}

}  // namespace
}  // namespace starling
