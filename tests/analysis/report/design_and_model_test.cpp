#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "analysis/charts/design_charts.hpp"
#include "analysis/charts/model_charts.hpp"
#include "analysis/report/report.hpp"
#include "tests/analysis/charts/report_tables.hpp"
#include "tests/io/scratch_folder.hpp"

namespace starling {
namespace {

using nlohmann::json;

/// A design.json of three candidates: the second is dearer and faster than the first, and the third was not
/// run.
json small_design() {
  return json::parse(R"json({
    "starling": "0.2.0", "study": "small", "objective": "throughput", "target": 90.0, "budget": null,
    "seeds": 3, "prices": {"name": "assumed", "currency": "USD"}, "front": [0, 1],
    "answer": ["The cheapest network that reaches 90 samples/s: torus with ddp."],
    "networks": [
      {"family": "star", "name": "star, bandwidth=10Gbps", "workers": 8, "switches": 1, "price": 100,
       "power_W": 5},
      {"family": "torus", "name": "torus", "workers": 8, "switches": 0, "price": 200, "power_W": 9}],
    "candidates": [
      {"network": 0, "algorithm": "ddp", "state": "tried", "reason": null, "bound_s": 0.1,
       "iteration_time_s": 0.5, "objective": 64.0, "objective_interval_95": [60.0, 68.0]},
      {"network": 1, "algorithm": "ddp", "state": "tried", "reason": null, "bound_s": 0.1,
       "iteration_time_s": 0.32, "objective": 100.0, "objective_interval_95": null},
      {"network": 1, "algorithm": "sgp", "state": "dearer", "reason": "cannot be better", "bound_s": 0.4,
       "iteration_time_s": null, "objective": null, "objective_interval_95": null}]})json");
}

TEST_CASE("a design's page has every candidate with its network's price, and marks the Pareto front") {
  const ScratchFolder folder;
  folder.write("design.json", small_design().dump());
  const Report report = report_of(folder.path());
  CHECK(report.answer ==
        std::vector<std::string>{"The cheapest network that reaches 90 samples/s: torus with ddp."});
  const ReportChart& chart = chart_named(report, "pareto");
  CHECK(column_of(chart, "price") == std::vector<json>{100, 200, 200});
  CHECK(column_of(chart, "throughput_samples_per_s") == std::vector<json>{64.0, 100.0, nullptr});
  CHECK(column_of(chart, "interval_95_least") == std::vector<json>{60.0, nullptr, nullptr});
  CHECK(column_of(chart, "is_on_front") == std::vector<json>{"yes", "yes", "no"});
  CHECK(chart_named(report, "explorer").data_of == "pareto");
}

TEST_CASE(
    "the label of a candidate's bound follows the objective: for a throughput it is the time of a sample") {
  const ScratchFolder folder;
  const std::pair<const char*, const char*> labels[] = {
      {"iteration_time", "lower bound of the iteration time"},
      {"throughput", "lower bound per sample"},
      {"time_to_loss", "lower bound of the time to loss"}};
  for (const auto& [objective, label] : labels) {
    json design = small_design();
    design["objective"] = objective;
    folder.write("design.json", design.dump());
    const Report report = report_of(folder.path());
    const auto& columns = chart_named(report, "pareto").table.columns;
    CHECK(std::ranges::find(columns, "bound_s", &ReportColumn::name)->label == label);
  }
}

TEST_CASE("a design's page names the version that wrote design.json, from either key") {
  const ScratchFolder folder;
  for (const char* key : {"starling", "starling_version"}) {
    CAPTURE(key);
    json design = small_design();
    design.erase("starling");
    design[key] = "0.1.7";
    folder.write("design.json", design.dump());
    const Report report = report_of(folder.path());
    CHECK(report.facts.back() == std::pair<std::string, std::string>{"written by", "starling 0.1.7"});
  }
}

TEST_CASE("the page of a design without a candidate that was run has a note instead of a chart") {
  const ScratchFolder folder;
  json design = small_design();
  design["front"] = json::array();
  folder.write("design.json", design.dump());
  const Report report = report_of(folder.path());
  CHECK(report.charts.size() == 1);
  CHECK(report.charts.front().is_blank());
}

TEST_CASE("malformed design and model files are refused by errors that name them") {
  const ScratchFolder folder;
  const auto error = [&](const char* name, const json& text) {
    folder.write(name, text.dump());
    return error_of(folder.path(), [&] { report_of(folder.path() / name); });
  };
  json no_price = small_design();
  no_price["networks"][0].erase("price");
  CHECK(error("design.json", no_price).starts_with("design.json: not of the expected form"));
  CHECK(error("design.json", json::array()).starts_with("design.json: not of the expected form"));
  CHECK(error("model.json", {{"scenario", "s"}}).starts_with("model.json: not of the expected form"));
}

TEST_CASE("an empty list or another value in place of a list is refused with its JSON pointer") {
  const ScratchFolder folder;
  for (const json& nothing : {json::array(), json::object(), json()}) {
    CAPTURE(nothing.dump());
    json design = small_design();
    design["candidates"] = nothing;
    folder.write("design/design.json", design.dump());
    CHECK(error_of(folder.path(), [&] { report_of(folder.path() / "design"); }) ==
          "design/design.json: /candidates: is not a non-empty list, got " + nothing.dump() +
              ", expected what starling design writes");
    const json model{{"starling", "0.2.0"}, {"scenario", "s"}, {"algorithms", nothing}};
    folder.write("model/model.json", model.dump());
    CHECK(error_of(folder.path(), [&] { report_of(folder.path() / "model"); }) ==
          "model/model.json: /algorithms: is not a non-empty list, got " + nothing.dump() +
              ", expected what starling model --out writes");
  }
}

TEST_CASE("the page of a model has the gains and differences of model.json") {
  const ScratchFolder folder;
  folder.write("model.json", R"json({"starling": "0.2.0", "scenario": "s",
    "algorithms": [{"label": "ddp",
                    "model": {"iteration_time_s": 0.2, "interval_95_s": [0.19, 0.21], "validity": "estimate",
                              "reasons": ["one", "two"]},
                    "simulation": {"iteration_time_s": 0.25}, "relative_difference": -0.2},
                   {"label": "own", "model": null}],
    "gains": [{"label": "ddp", "over": "allreduce", "iteration_time_s": 0.25, "gain_s": 0.1,
               "parts_s": {"overlap": 0.12, "cheaper_communication": -0.03, "insensitivity": 0.01},
               "standard_errors_s": {"gain": 0.004, "overlap": 0.001, "cheaper_communication": 0.002,
                                     "insensitivity": 0.003}},
              {"label": "own", "over": "allreduce", "iteration_time_s": 0.3, "gain_s": 0.05,
               "reason": "it has no parts"}]})json");
  const Report report = report_of(folder.path());
  CHECK(report.answer == std::vector<std::string>{
                             "Fastest, as simulated: ddp, 250.0 ms an iteration.",
                             "Largest difference between model and simulation: ddp, -20 %.",
                             "Greatest gain over all-reduce: ddp, 100.0 ms an iteration, by overlap 120.0 "
                             "ms, by cheaper communication −30.00 ms, by less waiting for slow workers "
                             "10.00 ms."});
  const ReportChart& gains = chart_named(report, "gains");
  CHECK(column_of(gains, "gain_s") == std::vector<json>{0.1, 0.05});
  CHECK(column_of(gains, "overlap_s") == std::vector<json>{0.12, nullptr});
  CHECK(column_of(gains, "cheaper_communication_s") == std::vector<json>{-0.03, nullptr});
  CHECK(column_of(gains, "gain_error_s") == std::vector<json>{0.004, nullptr});
  CHECK(column_of(gains, "insensitivity_error_s") == std::vector<json>{0.003, nullptr});
  CHECK(column_of(gains, "reason") == std::vector<json>{"", "it has no parts"});
  const ReportChart& model = chart_named(report, "model");
  CHECK(column_of(model, "difference_percent") == std::vector<json>{-20.0, nullptr});
  CHECK(column_of(model, "model_95_greatest_s") == std::vector<json>{0.21, nullptr});
  CHECK(column_of(model, "simulation_95_least_s") == std::vector<json>{nullptr, nullptr});
  CHECK(column_of(model, "reasons") == std::vector<json>{"one; two", ""});
}

TEST_CASE("the chart of gains that were not computed is blank and names --explain") {
  const ScratchFolder folder;
  folder.write("model.json", R"({"starling": "0.2.0", "scenario": "s", "algorithms": [{"label": "ddp"}]})");
  CHECK(chart_named(report_of(folder.path()), "gains").blank.find("--explain") != std::string::npos);
}

}  // namespace
}  // namespace starling
