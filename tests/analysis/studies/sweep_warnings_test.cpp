#include <SQLiteCpp/SQLiteCpp.h>
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "analysis/studies/sweep_figures.hpp"
#include "analysis/studies/sweep_plan.hpp"
#include "analysis/studies/sweep_reader.hpp"
#include "analysis/studies/sweep_run.hpp"
#include "analysis/studies/sweep_store.hpp"
#include "small_sweep.hpp"
#include "tests/io/scratch_folder.hpp"

namespace starling {
namespace {

/// The warnings of a sweep of `base` over these values, with its store in the folder `name`.
std::vector<std::string> warnings_of_sweep(const ScratchFolder& folder, const char* name,
                                           const nlohmann::json& base, const char* varied) {
  const SweepPlan plan = read_sweep({.file = folder.write(std::string(name) + ".json", base.dump()),
                                     .varied = {varied},
                                     .overrides = {},
                                     .seeds = 1});
  std::vector<std::string> warnings;
  SweepObservers observers;
  observers.warned = [&](const std::string& warning) { warnings.push_back(warning); };
  std::filesystem::create_directories(folder.path() / name);
  SweepStore store = SweepStore::open_or_make(folder.path() / name);
  (void)run_sweep(plan, store, {}, observers);
  return warnings;
}

TEST_CASE("a sweep warns once if the default transport changes with the varied network") {
  const ScratchFolder folder;
  const char* const latencies = "/cluster/network/link/latency=4us,6us,7us";
  auto base = nlohmann::json::parse(swept_base);
  base["cluster"].erase("transport");
  const std::vector<std::string> warnings = warnings_of_sweep(folder, "followed", base, latencies);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings.front().starts_with("cluster.transport is not given"));
  base["cluster"]["transport"] = "nccl_ib";
  CHECK(warnings_of_sweep(folder, "given", base, latencies).empty());
}

TEST_CASE("a sweep of batch sizes warns once if compute times are only scaled with the batch size") {
  const ScratchFolder folder;
  const char* const batches = "/workload/batch_size=16,32";
  auto base = nlohmann::json::parse(swept_base);
  base["workload"]["compute"] = {{"throughput", 100}};
  const std::vector<std::string> warnings = warnings_of_sweep(folder, "rate", base, batches);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings.front().find("compute times are proportional to it") != std::string::npos);
  base["workload"]["compute"] = {{"forward", "10ms"}, {"backward", "20ms"}};
  CHECK(warnings_of_sweep(folder, "totals", base, batches).empty());
}

TEST_CASE("a sweep reports runs of algorithms that ties decide, also when they are reused") {
  const ScratchFolder folder;
  auto base = nlohmann::json::parse(swept_base);
  base["cluster"]["transport"] = "mpi_tcp";
  base["workload"].erase("imbalance");
  base["algorithms"] = {{{"kind", "allreduce"}, {"collective", "recursive_doubling"}},
                        {{"kind", "allreduce"}, {"collective", "ring"}}};
  const SweepPlan plan = read_sweep({.file = folder.write("lockstep.json", base.dump()),
                                     .varied = {"/cluster/wake_up=0us,20us"},
                                     .overrides = {},
                                     .seeds = 1});
  std::vector<std::int64_t> combinations;
  SweepObservers observers;
  observers.warned_of_run = [&](const SweepRun& run, const RunWarning& warning) {
    combinations.push_back(run.combination);
    CHECK(warning.kind == WarningKind::decided_by_ties);
    CHECK(warning.sentence.find(": allreduce takes ") != std::string::npos);
  };
  SweepStore store = SweepStore::open_or_make(folder.path());
  (void)run_sweep(plan, store, {.jobs = 2}, observers);
  CHECK(combinations == std::vector<std::int64_t>{0});
  CHECK(run_sweep(plan, store, {}, observers).reused == 2);
  CHECK(combinations == std::vector<std::int64_t>{0, 0});
}

TEST_CASE("a sweep reports runs with means over partial periods, also when they are reused") {
  const ScratchFolder folder;
  auto base = nlohmann::json::parse(swept_base);
  base["warmup_iterations"] = 2;
  base["algorithms"] = nlohmann::json::array({{{"kind", "ddp"}}, {{"kind", "local_sgd"}, {"period", 4}}});
  const SweepPlan plan = read_sweep({.file = folder.write("periods.json", base.dump()),
                                     .varied = {"/iterations=10,12,402,410"},
                                     .overrides = {},
                                     .seeds = 1});
  std::vector<std::int64_t> combinations;
  SweepObservers observers;
  observers.warned_of_run = [&](const SweepRun& run, const RunWarning& warning) {
    combinations.push_back(run.combination);
    CHECK(warning.kind == WarningKind::partial_periods);
    CHECK(
        warning.sentence.starts_with("local_sgd repeats its pattern after 4 iterations, and 10 are counted"));
  };
  {
    SweepStore store = SweepStore::open_or_make(folder.path());
    (void)run_sweep(plan, store, {.jobs = 2}, observers);
    CHECK(combinations == std::vector<std::int64_t>{1});
  }
  SweepStore store = SweepStore::open_or_make(folder.path());
  CHECK(run_sweep(plan, store, {}, observers).reused == 4);
  CHECK(combinations == std::vector<std::int64_t>{1, 1});
}

TEST_CASE(
    "a sweep reports algorithms that leave network cards idle once for all seeds, also when runs are "
    "reused") {
  const ScratchFolder folder;
  auto base = nlohmann::json::parse(swept_base);
  base["iterations"] = 4;
  base["cluster"] = {
      {"workers", 8},
      {"workers_per_host", 4},
      {"nics_per_host", 4},
      {"intra_host_link", {{"bandwidth", "50GBps"}, {"latency", "1us"}}},
      {"network", {{"kind", "rail"}, {"link", {{"bandwidth", "25Gbps"}, {"latency", "1us"}}}}}};
  base["algorithms"] = nlohmann::json::array({{{"kind", "allreduce"}, {"collective", "ring"}}});
  const SweepPlan plan = read_sweep({.file = folder.write("cards.json", base.dump()),
                                     .varied = {"/workload/batch_size=32,64"},
                                     .overrides = {},
                                     .seeds = 2});
  std::vector<std::string> warnings;
  SweepObservers observers;
  observers.warned_of_run = [&](const SweepRun& run, const RunWarning& warning) {
    CHECK(run.replication == 0);
    CHECK(warning.kind == WarningKind::uneven_traffic);
    warnings.push_back(warning.sentence);
  };
  SweepStore store = SweepStore::open_or_make(folder.path());
  CHECK(run_sweep(plan, store, {}, observers).failed == 0);
  REQUIRE(warnings.size() == 2);
  CHECK(warnings[0] == warnings[1]);
  CHECK(warnings[0].find("cards.json: /cluster/nics_per_host: of the data of allreduce, one of 4 network") !=
        std::string::npos);
  CHECK(run_sweep(plan, store, {}, observers).reused == 4);
  CHECK(warnings.size() == 4);
}

TEST_CASE("a sweep reports drifting iterations, and the mean over seeds then has no error") {
  const ScratchFolder folder;
  auto base = nlohmann::json::parse(swept_base);
  // The delay of the slow worker spreads by one neighbor an iteration, and has reached all 64 workers after
  // 32.
  base["cluster"]["workers"] = 64;
  base["cluster"]["transport"] = "ideal";
  base["workload"]["imbalance"] = {{"kind", "slow_workers"}, {"workers", {0}}, {"factor", 1.3}};
  base["algorithms"] = nlohmann::json::array({{{"kind", "ddp"}}, {{"kind", "dpsgd"}, {"graph", "ring"}}});
  base["warmup_iterations"] = 5;
  const SweepPlan plan = read_sweep({.file = folder.write("slow.json", base.dump()),
                                     .varied = {"/iterations=20,1000"},
                                     .overrides = {},
                                     .seeds = 2});
  std::set<std::string> settings;
  SweepObservers observers;
  observers.warned_of_run = [&](const SweepRun& run, const RunWarning& warning) {
    settings.insert(run.result.at("scenario").at("iterations").dump());
    CHECK(warning.kind == WarningKind::unsettled);
    CHECK(warning.sentence.starts_with("dpsgd: iteration times still drift while counted, from "));
  };
  SweepStore store = SweepStore::open_or_make(folder.path());
  (void)run_sweep(plan, store, {}, observers);
  CHECK(settings == std::set<std::string>{"20"});
  for_each_combination(store, [&](std::int64_t combination, const std::vector<SweepRun>& runs) {
    const std::vector<SweepSummary> summaries = summaries_of(runs);
    const std::size_t time = index_of_figure("iteration_time_s");
    CHECK(summaries[0].figures[time]->has_error());
    CHECK(summaries[1].figures[time]->has_error() == (combination == 1));
  });
}

TEST_CASE("warnings about runs are merged with the parts of a sweep") {
  const ScratchFolder folder;
  auto base = nlohmann::json::parse(swept_base);
  base["algorithms"] = nlohmann::json::array({{{"kind", "local_sgd"}, {"period", 4}}});
  const SweepPlan plan = read_sweep({.file = folder.write("periods.json", base.dump()),
                                     .varied = {"/iterations=10,12"},
                                     .overrides = {},
                                     .seeds = 1});
  swept(plan, folder.path() / "part");
  SweepStore merged = SweepStore::open_or_make(folder.path());
  merged.set_plan(plan);
  merged.merge(SweepStore::open(folder.path() / "part"));
  int points = 0;
  merged.for_each_point([&](const SweepRun& run) {
    ++points;
    CHECK(run.warnings.size() == 1);
  });
  CHECK(points == 2);
}

TEST_CASE("a sweep warns once of reused runs of another build, and keeps the build of each run") {
  const ScratchFolder folder;
  const SweepPlan plan = plan_of(folder, {"/cluster/workers=4,6"});
  (void)swept(plan, folder.path() / "out");
  SQLite::Database(folder.path() / "out" / "sweep.sqlite", SQLite::OPEN_READWRITE)
      .exec("UPDATE runs SET starling = 'another'");
  std::vector<std::string> warnings;
  SweepObservers observers;
  observers.warned = [&](const std::string& warning) { warnings.push_back(warning); };
  const auto again_in = [&](const char* name, const SweepPlan& sweep) {
    std::filesystem::create_directories(folder.path() / name);
    SweepStore store = SweepStore::open_or_make(folder.path() / name);
    store.set_plan(plan);
    store.merge(SweepStore::open(folder.path() / "out"));
    return run_sweep(sweep, store, {}, observers).reused;
  };
  CHECK(again_in("merged", plan) == 2);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings.front().starts_with(
      "runs of another build of this version of starling, whose results may differ, are reused"));
  (void)swept(plan, folder.path() / "other");
  (void)swept(plan, folder.path() / "other");
  CHECK(again_in("other", plan) == 2);  // runs that are in the store already are not replaced by merged ones
  CHECK(warnings.size() == 1);
}

}  // namespace
}  // namespace starling
