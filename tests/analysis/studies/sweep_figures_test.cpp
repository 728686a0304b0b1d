#include "analysis/studies/sweep_figures.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/statistics/estimate.hpp"
#include "analysis/studies/sweep_plan.hpp"
#include "analysis/studies/sweep_reader.hpp"
#include "analysis/studies/sweep_run.hpp"
#include "analysis/studies/sweep_store.hpp"
#include "small_sweep.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

TEST_CASE("means over several seeds have no error where periods are partial") {
  const ScratchFolder folder;
  auto base = nlohmann::json::parse(swept_base);
  base["warmup_iterations"] = 2;
  base["algorithms"] = nlohmann::json::array({{{"kind", "ddp"}}, {{"kind", "local_sgd"}, {"period", 4}}});
  const SweepPlan plan = read_sweep({.file = folder.write("periods.json", base.dump()),
                                     .varied = {"/iterations=12,14"},
                                     .overrides = {},
                                     .seeds = 3});
  SweepStore store = SweepStore::open_or_make(folder.path());
  (void)run_sweep(plan, store, {}, {});
  int visited = 0;
  for_each_combination(store, [&](std::int64_t combination, const std::vector<SweepRun>& runs) {
    ++visited;
    const std::vector<SweepSummary> summaries = summaries_of(runs);
    const std::size_t time = index_of_figure("iteration_time_s");
    CHECK(summaries[0].figures[time]->has_error());
    CHECK(summaries[1].figures[time]->has_error() == (combination == 1));
    CHECK(summaries[1].figures[time]->value > 0);
  });
  CHECK(visited == 2);
}

TEST_CASE("speed-ups of a sweep have no error if the first algorithm has partial periods") {
  const ScratchFolder folder;
  auto base = nlohmann::json::parse(swept_base);
  base["warmup_iterations"] = 2;
  base["algorithms"] = nlohmann::json::array({{{"kind", "local_sgd"}, {"period", 4}}, {{"kind", "ddp"}}});
  const std::filesystem::path file = folder.write("periods.json", base.dump());
  const auto plan = [&](int seeds) {
    return read_sweep({.file = file, .varied = {"/iterations=12,14"}, .overrides = {}, .seeds = seeds});
  };
  SweepStore store = SweepStore::open_or_make(folder.path());
  (void)run_sweep(plan(3), store, {}, {});
  int visited = 0;
  for_each_combination(store, [&](std::int64_t combination, const std::vector<SweepRun>& runs) {
    ++visited;
    const SweepSummary ddp = summaries_of(runs).at(1);
    CHECK(ddp.figures[index_of_figure("iteration_time_s")]->has_error());
    CHECK(ddp.figures[index_of_figure("speedup")]->has_error() == (combination == 1));
    CHECK(ddp.figures[index_of_figure("speedup")]->value > 0);
  });
  CHECK(visited == 2);
  // Also for one seed, where the run itself has an interval of the speed-up.
  const Sweep one = swept(plan(1), folder.path() / "one");
  CHECK(line_of(one.summaries, 2).starts_with("0,ddp,1,12,0."));
  CHECK(line_of(one.summaries, 2).find(",,,,4,10,") !=
        std::string::npos);  // an empty speed-up interval, then workers and iterations
  CHECK(line_of(one.summaries, 4).starts_with("1,ddp,1,14,0."));
  CHECK(line_of(one.summaries, 4).find(",,,,4,12,") == std::string::npos);
  CHECK(line_of(one.summaries, 4).find(",4,12,") != std::string::npos);
}

/// `count` numbers of a CSV row from the field `first` on; fields before it must not contain commas.
std::vector<double> numbers_of_row(const std::string& row, int first, int count) {
  std::vector<double> numbers;
  std::size_t start = 0;
  for (int i = 0; i < first + count; ++i) {
    const std::size_t end = row.find(',', start);
    if (i >= first) numbers.push_back(std::stod(row.substr(start, end - start)));
    start = end + 1;
  }
  return numbers;
}

TEST_CASE("the interval of a single seed is that of its result, also with only three batches") {
  const ScratchFolder folder;
  const Sweep sweep = swept(plan_of(folder, {"/iterations=4,12"}), folder.path());
  const SweepStore store = SweepStore::open(folder.path());
  int line = 0;
  for_each_combination(store, [&](std::int64_t combination, const std::vector<SweepRun>& runs) {
    for (const SweepSummary& summary : summaries_of(runs))
      CHECK(summary.figures[2]->degrees_of_freedom == (combination == 0 ? 2 : 4));
    for (const nlohmann::json& run : runs.at(0).result.at("runs")) {
      const std::vector<double> numbers = numbers_of_row(line_of(sweep.summaries, ++line), 4, 3);
      CHECK(numbers[0] == run.at("standard_error_s").get<double>());
      CHECK(numbers[1] == about(run.at("interval_95_s")[0].get<double>()));
      CHECK(numbers[2] == about(run.at("interval_95_s")[1].get<double>()));
    }
  });
  CHECK(line == 4);
}

TEST_CASE("the error over several seeds is that of their means, and speed-ups are paired") {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder.path() / "out");
  SweepStore store = SweepStore::open_or_make(folder.path() / "out");
  run_sweep(plan_of(folder, {"/iterations=12"}, 4), store, {.jobs = 2}, {});
  int visited = 0;
  for_each_combination(store, [&](std::int64_t, const std::vector<SweepRun>& runs) {
    ++visited;
    REQUIRE(runs.size() == 4);
    const std::vector<SweepSummary> summaries = summaries_of(runs);
    std::vector<double> means;
    for (const SweepRun& run : runs) means.push_back(run.result["runs"][1]["iteration_time_s"]["mean"]);
    const SampleEstimate expected = estimate_mean(means);
    CHECK(summaries[1].figures[2]->value == expected.value);
    CHECK(summaries[1].figures[2]->standard_error == expected.standard_error);
    // Both algorithms have the same draws, so that the error of their ratio is smaller than for independent
    // ones.
    std::vector<double> rates;
    for (const SweepRun& run : runs) rates.push_back(run.result["runs"][1]["throughput_samples_per_s"]);
    CHECK(summaries[1].figures[index_of_figure("throughput_samples_per_s")]->value ==
          about(harmonic_mean(rates), 1e-12));
    const SampleEstimate apart = estimate_ratio(*summaries[0].figures[2], *summaries[1].figures[2]);
    const SampleEstimate speedup = *summaries[1].figures[index_of_figure("speedup")];
    CHECK(speedup.value == about(apart.value, 1e-12));
    CHECK(speedup.standard_error < 0.6 * apart.standard_error);
  });
  CHECK(visited == 1);
}

TEST_CASE("samples per second and worker are the throughput over the number of workers") {
  const ScratchFolder folder;
  SweepStore store = SweepStore::open_or_make(folder.path());
  run_sweep(plan_of(folder, {"/cluster/workers=2,8"}, 2), store, {}, {});
  int visited = 0;
  for_each_combination(store, [&](std::int64_t combination, const std::vector<SweepRun>& runs) {
    ++visited;
    const double workers = combination == 0 ? 2 : 8;
    const std::vector<std::optional<SampleEstimate>> figures = summaries_of(runs).at(1).figures;
    const auto& of_all = figures[index_of_figure("throughput_samples_per_s")];
    const auto& of_each = figures[index_of_figure("throughput_per_worker_samples_per_s")];
    CHECK(of_each->value == about(of_all->value / workers, rounding_of_sums));
    CHECK(of_each->standard_error == about(of_all->standard_error / workers, rounding_of_sums));
    nlohmann::json endless = runs.at(0).result["runs"][1];
    endless["throughput_samples_per_s"] = nullptr;
    CHECK_FALSE(value_of(sweep_figures()[index_of_figure("throughput_per_worker_samples_per_s")], endless));
  });
  CHECK(visited == 2);
}

}  // namespace
}  // namespace starling
