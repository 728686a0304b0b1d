#include "analysis/charts/sweeps/sweep_charts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "analysis/report/report.hpp"
#include "analysis/results/files/saved_result.hpp"
#include "analysis/studies/sweep_reader.hpp"
#include "analysis/studies/sweep_run.hpp"
#include "analysis/studies/sweep_tables.hpp"
#include "tests/analysis/charts/report_tables.hpp"
#include "tests/analysis/running/program.hpp"
#include "tests/analysis/running/scenario_text.hpp"
#include "tests/io/scratch_folder.hpp"

namespace starling {
namespace {

using nlohmann::json;

/// The folder of a sweep over two bandwidths and three numbers of workers, run once for all tests.
const std::filesystem::path& finished_sweep() {
  static const ScratchFolder folder;
  static const std::filesystem::path sweep = [] {
    folder.write("base.json", scenario_text("base", 24, 2, "ddp"));
    const ProgramRun ended = run_program(
        folder.path(),
        "sweep base.json --vary /cluster/network/link/bandwidth=100Gbps,1Gbps --vary /cluster/workers=8,2,4 "
        "--out sweep --jobs 1 --quiet");
    REQUIRE(ended.exit_code == 0);
    return folder.path() / "sweep";
  }();
  return sweep;
}

TEST_CASE("the report of a sweep has the figures of the sweep's store") {
  const Report report = report_of(finished_sweep());
  CHECK(report.title == "base");
  CHECK(report.question ==
        "How long does an iteration take, and which algorithm is fastest, depending on bandwidth, workers?");
  const ReportChart& chart = chart_named(report, "curves");
  REQUIRE(chart.table.rows() == 12);
  std::size_t row = 0;
  const SweepStore store = SweepStore::open(finished_sweep());
  store.for_each_point([&](const SweepRun& run) {
    for (const json& block : blocks_of(run.result)) {
      CHECK(column_of(chart, "algorithm")[row] == label_of(block));
      CHECK(column_of(chart, "/cluster/workers")[row] == block.at("workers").dump());
      CHECK(column_of(chart, "iteration_time_s")[row] == block.at("iteration_time_s").at("mean"));
      CHECK(column_of(chart, "exposed_communication_s")[row] ==
            block.at("breakdown_s").at("exposed_communication"));
      ++row;
    }
  });
  CHECK(row == 12);
}

TEST_CASE("the x axis is a varied dimension, and colors distinguish a second one") {
  const ScratchFolder folder;
  folder.write("base.json", scenario_text("base", 24, 2, "ddp"));
  const std::string bandwidth = "/cluster/network/link/bandwidth";
  const auto options_with = [&](const std::string& workers) {
    const std::string command = "sweep base.json --set '/algorithms=[{\"kind\": \"ddp\"}]' --vary " +
                                bandwidth + "=1Gbps,10Gbps --vary /cluster/workers=" + workers +
                                " --quiet --out " + workers;
    REQUIRE(run_program(folder.path(), command).exit_code == 0);
    return chart_named(report_of(folder.path() / workers), "curves").options;
  };
  CHECK(options_with("4").at("x") == bandwidth);
  CHECK(options_with("2,4").at("x") == "/cluster/workers");
  CHECK(chart_named(report_of(folder.path() / "2,4"), "curves").options.at("color") == bandwidth);
}

TEST_CASE(
    "values of dimensions are in ascending order, in SI units, and the x axis is the number of workers") {
  const json options = chart_named(report_of(finished_sweep()), "curves").options;
  CHECK(options.at("x") == "/cluster/workers");
  CHECK(options.at("dimensions").at(0).at("values") == json{"1Gbps", "100Gbps"});
  CHECK(options.at("dimensions").at(0).at("numbers") == json{1.25e8, 1.25e10});
  CHECK(options.at("dimensions").at(0).at("unit") == "B/s");
  CHECK(options.at("dimensions").at(1).at("values") == json{"2", "4", "8"});
  CHECK(options.at("dimensions").at(1).at("numbers") == json{2, 4, 8});
  CHECK(options.at("dimensions").at(2).at("values") == json{"allreduce", "ddp"});
}

TEST_CASE("columns without a value in any run are left out, and the explorer shows the same table") {
  const Report report = report_of(finished_sweep());
  const ReportChart& curves = chart_named(report, "curves");
  CHECK(std::ranges::find(curves.table.columns, "final_loss", &ReportColumn::name) ==
        curves.table.columns.end());
  const json& figures = curves.options.at("figures");
  CHECK(std::ranges::find(figures, json("final_loss")) == figures.end());
  CHECK(chart_named(report, "explorer").data_of == "curves");
}

TEST_CASE("a figure that the sweep varies has only one column") {
  const Report report = report_of(finished_sweep());
  std::vector<std::string> labels;
  for (const ReportColumn& column : chart_named(report, "curves").table.columns)
    labels.push_back(column.label);
  CHECK(std::ranges::count(labels, "workers") == 1);
  std::ranges::sort(labels);
  CHECK(std::ranges::adjacent_find(labels) == labels.end());
}

TEST_CASE("the answer counts where each algorithm is fastest") {
  // ddp overlaps a part of the communication that allreduce exposes: much where links are slow, a little
  // where they are fast.
  const Report report = report_of(finished_sweep() / "sweep.sqlite");
  CHECK(report.answer.at(0) == "Fastest by the mean, of 6 combinations: ddp in 6.");
}

TEST_CASE(
    "variants of a varied algorithm compete with each other, and a single algorithm has no competitor") {
  const ScratchFolder folder;
  folder.write("base.json", scenario_text("base", 24, 2, "ddp"));
  const std::string sweep = "sweep base.json --set '/algorithms=[{\"kind\": \"ddp\"}]' --quiet ";
  REQUIRE(run_program(folder.path(), sweep + "--vary /algorithms/0/kind=allreduce,ddp --vary "
                                             "/cluster/workers=2,4 --out kinds")
              .exit_code == 0);
  const Report kinds = report_of(folder.path() / "kinds");
  CHECK(kinds.question.find("which algorithm is fastest, depending on kind, workers?") != std::string::npos);
  CHECK(kinds.answer.at(0) == "Fastest by the mean, of 2 combinations of workers: ddp in 2.");
  REQUIRE(run_program(folder.path(), sweep + "--vary /cluster/workers=2,4 --out alone").exit_code == 0);
  const Report alone = report_of(folder.path() / "alone");
  CHECK(alone.question == "How long does an iteration take, depending on workers?");
  REQUIRE(alone.answer.size() == 1);
  CHECK(alone.answer.front().starts_with("An iteration takes "));
  CHECK(alone.answer.front().ends_with(", of 2 combinations."));
}

TEST_CASE("no algorithm is the fastest for sure where means have no intervals") {
  const ScratchFolder folder;
  folder.write("base.json", scenario_text("base", 24, 2, "ddp"));
  // One counted iteration (of 3, with 2 to warm up) has no standard error.
  REQUIRE(
      run_program(folder.path(), "sweep base.json --vary /iterations=3,24 --out some --quiet").exit_code ==
      0);
  CHECK(report_of(folder.path() / "some").answer ==
        std::vector<std::string>{"Fastest by the mean, of 2 combinations: ddp in 2.",
                                 "Certainly the fastest, as no other 95 % interval overlaps: ddp in 1. The "
                                 "intervals are of the sampling error only, without the model's error.",
                                 "The uncertainty of the means of 1 combination is unknown."});
  REQUIRE(run_program(folder.path(), "sweep base.json --vary /iterations=3 --out one --quiet").exit_code ==
          0);
  CHECK(report_of(folder.path() / "one").answer ==
        std::vector<std::string>{"Fastest by the mean, of 1 combination: ddp in 1.",
                                 "The uncertainty of these means is unknown."});
}

TEST_CASE("algorithms without intervals are named where others have some") {
  const ScratchFolder folder;
  // local_sgd completes too few averaging periods for a standard error.
  folder.write("base.json", scenario_text("base", 24, 2, "local_sgd"));
  REQUIRE(
      run_program(folder.path(), "sweep base.json --vary /cluster/workers=2,4 --out few --quiet").exit_code ==
      0);
  const Report report = report_of(folder.path() / "few");
  REQUIRE(report.answer.size() == 2);
  CHECK(report.answer.at(1) ==
        "For 2 combinations it is not certain which is the fastest, as these have no interval: local_sgd.");
}

TEST_CASE("jobs are not ranked: a sweep of them says by how much they slow each other down") {
  const ScratchFolder folder;
  // Two leaves with two workers each. Each job has a worker on either leaf, so both share the links to the
  // spine.
  folder.write("base.json", R"json({
    "cluster": {"workers": 4, "transport": "ideal", "network": {"kind": "leaf_spine", "hosts_per_leaf": 2,
      "spines": 1, "oversubscription": 2, "link": {"bandwidth": "10Gbps", "latency": "5us"}}},
    "jobs": [
      {"name": "small", "ranks": [0, 2], "iterations": 12, "algorithm": {"kind": "allreduce"},
       "workload": {"model": "resnet50", "batch_size": 32, "compute": {"forward": "1ms", "backward": "2ms"}}},
      {"name": "large", "ranks": [1, 3], "iterations": 12, "algorithm": {"kind": "allreduce"},
       "workload": {"model": "vgg16", "batch_size": 32, "compute": {"forward": "1ms", "backward": "2ms"}}}
    ]})json");
  REQUIRE(run_program(folder.path(),
                      "sweep base.json --vary /cluster/network/oversubscription=2,4 --out jobs --quiet")
              .exit_code == 0);
  const Report report = report_of(folder.path() / "jobs");
  CHECK(report.question ==
        "How much do jobs on one network slow each other down, depending on oversubscription?");
  REQUIRE(report.answer.size() == 1);
  const std::string& answer = report.answer.front();
  CAPTURE(answer);
  CHECK(answer.starts_with(
      "Slow-down by the other jobs (iteration time over that alone), of 2 combinations: small "));
  CHECK(answer.find(", large ") != std::string::npos);
  CHECK(answer.find("astest") == std::string::npos);
  const ReportTable& table = chart_named(report, "curves").table;
  CHECK(std::ranges::find(table.columns, "algorithm", &ReportColumn::name)->label == "job");
}

TEST_CASE("a sweep of seeds alone is shown over its algorithms") {
  const ScratchFolder folder;
  folder.write("base.json", scenario_text("base", 4, 1, "ddp"));
  REQUIRE(run_program(folder.path(), "sweep base.json --seeds 2 --out seeds --quiet").exit_code == 0);
  const Report report = report_of(folder.path() / "seeds");
  CHECK(report.question == "How long does an iteration take, and which algorithm is fastest?");
  const json options = chart_named(report, "curves").options;
  CHECK(options.at("x") == "algorithm");
  CHECK(options.at("dimensions").size() == 1);
}

TEST_CASE("the report of an incomplete sweep says how many runs are missing") {
  CHECK(report_of(finished_sweep()).answer.size() == 2);
  const ScratchFolder folder;
  folder.write("base.json", scenario_text("base", 24, 2, "ddp"));
  REQUIRE(
      run_program(folder.path(),
                  "sweep base.json --vary /cluster/workers=2,4,8 --seeds 2 --shard 1/2 --out part --quiet")
          .exit_code == 0);
  CHECK(report_of(folder.path() / "part").answer.back() ==
        "Unfinished, or one part of a sweep: 4 of its 6 runs have ended; the others are missing here.");
}

TEST_CASE(
    "the error for a sweep without results says how to continue it, or where the failures are recorded") {
  const ScratchFolder folder;
  const SweepPlan plan = read_sweep({.file = folder.write("base.json", scenario_text("base", 4, 1, "ddp")),
                                     .varied = {"/cluster/workers=0"},
                                     .overrides = {},
                                     .seeds = {}});
  SweepStore store = SweepStore::open_or_make(folder.path());
  store.set_plan(plan);
  const auto error = [&] { return error_of(folder.path(), [&] { sweep_report(store); }); };
  CHECK(error() ==
        "sweep.sqlite: no run of this sweep has ended yet, expected a sweep with results; unless it is still "
        "running, repeat its starling sweep command to continue it");
  run_sweep(plan, store, {}, {});
  CHECK(error().ends_with("sweep_failed.csv says what went wrong"));
}

TEST_CASE("a file that is no store has no report, and neither has a store without a sweep") {
  const ScratchFolder folder;
  folder.write("other/sweep.sqlite", "no database, whatever its name says, but long enough to be looked at");
  CHECK(error_of(folder.path(), [&] {
          report_of(folder.path() / "other");
        }).find("this file is not a store of starling sweep") != std::string::npos);
  std::filesystem::create_directories(folder.path() / "new");
  { SweepStore::open_or_make(folder.path() / "new"); }
  CHECK(error_of(folder.path(), [&] {
          report_of(folder.path() / "new");
        }).find("there is no sweep in this store") != std::string::npos);
}

}  // namespace
}  // namespace starling
