#include "analysis/studies/sweep_merge.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "analysis/studies/sweep_inputs.hpp"
#include "analysis/studies/sweep_reader.hpp"
#include "analysis/studies/sweep_run.hpp"
#include "tests/io/scratch_folder.hpp"

namespace starling {
namespace {

constexpr const char* base_with_model = R"({
  "iterations": 12, "cluster": {"workers": 4, "transport": "ideal",
    "network": {"kind": "star", "link": {"bandwidth": "10Gbps", "latency": "1us"}}},
  "workload": {"model": "own.model.json", "batch_size": 32,
    "compute": {"forward": "30ms", "backward": "60ms"}},
  "algorithms": [{"kind": "allreduce"}, {"kind": "ddp"}]})";

void write_own_model(const ScratchFolder& folder, int elements) {
  folder.write("own.model.json", fmt::format(R"({{"name": "own", "layers": [{{"name": "one", "type": "Linear",
                 "tensors": [{{"name": "weight", "elements": {}}}], "forward_flops_per_sample": 500000}}]}})",
                                             elements));
}

/// The plan of a sweep whose model file, written here, has one tensor of `elements` elements.
SweepPlan plan_with_model(const ScratchFolder& folder, const std::string& workers, int elements = 250'000) {
  write_own_model(folder, elements);
  return read_sweep({.file = folder.write("base.json", base_with_model),
                     .varied = {"/cluster/workers=" + workers},
                     .overrides = {},
                     .seeds = 1});
}

SweepStore store_in(const ScratchFolder& folder, const std::string& name) {
  std::filesystem::create_directories(folder.path() / name);
  return SweepStore::open_or_make(folder.path() / name);
}

/// Runs a shard of a sweep in a folder of its own, whose path is returned.
std::string made_part(const ScratchFolder& folder, const SweepPlan& plan, int shard, int shards) {
  const std::string name = fmt::format("part{}", shard);
  SweepStore store = store_in(folder, name);
  (void)run_sweep(plan, store, {.shard = shard, .shards = shards}, {});
  return (folder.path() / name).string();
}

std::int64_t rows_of_figures(const ScratchFolder& folder, const std::string& name) {
  SQLite::Database database((folder.path() / name / "sweep.sqlite").string());
  return database.execAndGet("SELECT count(*) FROM figures").getInt64();
}

std::vector<std::string> warnings_of_merging(const std::vector<std::string>& parts, SweepStore& whole) {
  std::vector<std::string> warnings;
  merge_parts(parts, plan_of_parts(parts), whole,
              [&](const std::string& warning) { warnings.push_back(warning); });
  return warnings;
}

TEST_CASE("Finished runs stay listed when a sweep, or an extended one, is resumed and interrupted") {
  const ScratchFolder folder;
  {
    SweepStore store = store_in(folder, "out");
    CHECK(run_sweep(plan_with_model(folder, "4,6"), store, {}, {}).done == 2);
  }
  SweepObservers observers;
  observers.run_ended = [](const SweepRun&, bool) { throw std::runtime_error("interrupted"); };
  const std::vector<std::pair<std::string, int>> sweeps{{"4,6", 2}, {"2,4,6", 3}};
  for (const auto& [workers, points] : sweeps) {
    CAPTURE(workers);
    SweepStore store = store_in(folder, "out");
    CHECK_THROWS_WITH(run_sweep(plan_with_model(folder, workers), store, {}, observers), "interrupted");
    CHECK(store.done_points() == points);
    CHECK(rows_of_figures(folder, "out") == 2 * points);
  }
}

TEST_CASE("A sweep that is resumed after an input file has changed says so, and repeats all runs") {
  const ScratchFolder folder;
  std::vector<std::string> warnings;
  SweepObservers observers;
  observers.warned = [&](const std::string& warning) { warnings.push_back(warning); };
  const auto counts_with = [&](int elements) {
    SweepStore store = store_in(folder, "out");
    const SweepCounts counts = run_sweep(plan_with_model(folder, "4,6", elements), store, {}, observers);
    CHECK(store.inputs().size() == 1);
    CHECK(store.done_points() == 2);
    return counts;
  };
  CHECK(counts_with(250'000).done == 2);
  CHECK(counts_with(250'000).reused == 2);
  CHECK(warnings.empty());
  CHECK(counts_with(500'000).done == 2);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings.front() == (folder.path() / "own.model.json").string() +
                                " has changed since runs in this folder used it: these runs are not reused");
  CHECK(counts_with(250'000).reused == 2);
  CHECK(warnings.size() == 2);
}

TEST_CASE("A run fails if an input file has changed since earlier runs of the same sweep") {
  const ScratchFolder folder;
  const SweepPlan plan = plan_with_model(folder, "4,6,8");
  SweepStore store = store_in(folder, "out");
  store.set_plan(plan);
  std::vector<std::string> errors;
  SweepObservers observers;
  observers.run_ended = [&](const SweepRun& run, bool) { errors.push_back(run.error); };
  run_combinations(plan, std::array<std::int64_t, 1>{0}, store, 1, observers);
  write_own_model(folder, 500'000);
  run_combinations(plan, std::array<std::int64_t, 2>{1, 2}, store, 1, observers);
  REQUIRE(errors.size() == 3);
  CHECK(errors[0] == "");
  for (const int run : {1, 2})
    CHECK(errors[static_cast<std::size_t>(run)].starts_with((folder.path() / "own.model.json").string() +
                                                            ": this file has changed since the sweep began"));
  CHECK(run_sweep(plan, store, {}, {}).done == 3);  // all runs are repeated with the file's present contents
  CHECK(store.inputs().size() == 1);
}

TEST_CASE("A file that changes between two scenarios is noticed, whatever its size") {
  const ScratchFolder folder;
  const SweepPlan plan = plan_with_model(folder, "4,6");
  SweepInputs inputs({});
  const Scenario scenario = read_scenario(plan.document(0, 0));
  CHECK(inputs.of(scenario).size() == 1);
  CHECK(inputs.of(scenario).front().file == (folder.path() / "own.model.json").string());
  const std::vector<InputContent> before = inputs.of(scenario);
  CHECK_FALSE(changed_input(before));
  write_own_model(folder, 250'001);  // the file has the same size
  CHECK_THROWS_AS(inputs.of(scenario), ScenarioError);
  CHECK(changed_input(before) == before.front().file);
  std::filesystem::remove(folder.path() / "own.model.json");
  CHECK_FALSE(changed_input(before));
}

TEST_CASE("Parts made from different contents of a file are not merged") {
  const ScratchFolder folder;
  const std::vector<std::string> parts{made_part(folder, plan_with_model(folder, "4,6"), 1, 2),
                                       made_part(folder, plan_with_model(folder, "4,6", 500'000), 2, 2)};
  CHECK(error_of(folder.path(), [&] { (void)plan_of_parts(parts); }) ==
        "part2/sweep.sqlite: the contents of own.model.json were different for this part than for "
        "part1/sweep.sqlite, expected parts made with the same input files");
  const std::vector<std::string> same{parts[0], made_part(folder, plan_with_model(folder, "4,6"), 2, 2)};
  SweepStore whole = store_in(folder, "whole");
  CHECK(warnings_of_merging(same, whole).empty());
  CHECK(whole.done_points() == 2);
}

TEST_CASE("Parts of different builds are merged with a warning") {
  const ScratchFolder folder;
  const SweepPlan plan = plan_with_model(folder, "4,6");
  const std::vector<std::string> parts{made_part(folder, plan, 1, 2), made_part(folder, plan, 2, 2)};
  SQLite::Database(parts[1] + "/sweep.sqlite", SQLite::OPEN_READWRITE)
      .exec("UPDATE runs SET starling = 'another'");
  SweepStore whole = store_in(folder, "whole");
  const std::vector<std::string> warnings = warnings_of_merging(parts, whole);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings.front().starts_with("not all parts were made by the same build"));
}

TEST_CASE("Where parts disagree a finished run wins over a failed one, and then the first, in all tables") {
  const ScratchFolder folder;
  const SweepPlan plan = plan_with_model(folder, "4");
  const std::string done = made_part(folder, plan, 1, 1);
  SweepRun run = SweepStore::open(done).run_of(*SweepStore::open(done).hashes().begin());
  const double mean_s = run.result.at("runs")[0].at("iteration_time_s").at("mean").get<double>();
  run.result["runs"][0]["iteration_time_s"]["mean"] = 2 * mean_s;
  const auto part_with = [&](const char* name, const SweepRun& only) {
    SweepStore store = store_in(folder, name);
    store.set_plan(plan);
    store.add(only);
    return (folder.path() / name).string();
  };
  const std::string other = part_with("other", run);
  run.scenario_hash = "another";
  run.error = "killed";
  const std::string failed = part_with("failed", run);

  SweepStore whole = store_in(folder, "whole");
  const auto mean_in_figures_s = [&] {
    SQLite::Database database((folder.path() / "whole" / "sweep.sqlite").string());
    CHECK(database.execAndGet("SELECT count(*) FROM figures").getInt() == 2);
    return database.execAndGet("SELECT iteration_time_s FROM figures WHERE algorithm = 'allreduce'")
        .getDouble();
  };
  for (const auto& parts : {std::vector{done, failed}, std::vector{failed, done}}) {
    CHECK(warnings_of_merging(parts, whole).empty());
    CHECK(whole.done_points() == 1);
    CHECK(mean_in_figures_s() == mean_s);
  }
  const std::vector<std::string> warnings = warnings_of_merging({done, failed, other}, whole);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings.front() == "runs with two different results, of which the first is kept: 1 (workers=4)");
  CHECK(mean_in_figures_s() == mean_s);
}

TEST_CASE("A failed run replaces one with earlier inputs, and has no figures") {
  const ScratchFolder folder;
  const SweepPlan plan = plan_with_model(folder, "4");
  made_part(folder, plan, 1, 1);
  SweepStore store = store_in(folder, "part1");
  SweepRun run;
  run.scenario_hash = "another";
  run.error = "killed";
  CHECK(store.add(run));
  CHECK(store.done_points() == 0);
  CHECK(rows_of_figures(folder, "part1") == 0);
}

TEST_CASE("A merge that fails leaves the store as it was") {
  const ScratchFolder folder;
  const SweepPlan plan = plan_with_model(folder, "4,6");
  const std::vector<std::string> parts{made_part(folder, plan, 1, 2), made_part(folder, plan, 2, 2)};
  SweepStore whole = store_in(folder, "whole");
  CHECK(warnings_of_merging(parts, whole).empty());
  SQLite::Database(parts[1] + "/sweep.sqlite", SQLite::OPEN_READWRITE).exec("UPDATE runs SET result = '{}'");
  CHECK_THROWS_AS(merge_parts(parts, plan, whole, {}), ScenarioError);
  CHECK(whole.done_points() == 2);
  CHECK(rows_of_figures(folder, "whole") == 4);
}

TEST_CASE("The error of a store that cannot be opened has the system's reason") {
  const ScratchFolder folder;
  const std::filesystem::path missing = folder.path() / "missing";
  CHECK_THROWS_WITH_AS(
      SweepStore::open_or_make(missing),
      ((missing / "sweep.sqlite").string() + ": unable to open database file (No such file or directory)")
          .c_str(),
      std::runtime_error);
}

}  // namespace
}  // namespace starling
