#include "analysis/studies/sweep_run.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/effort/memory_limit.hpp"
#include "analysis/statistics/estimate.hpp"
#include "analysis/studies/sweep_figures.hpp"
#include "analysis/studies/sweep_reader.hpp"
#include "analysis/studies/sweep_tables.hpp"
#include "io/scenario_error.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

constexpr const char* swept_base = R"({
  "iterations": 12, "cluster": {"workers": 4, "transport": "ideal",
    "network": {"kind": "star", "link": {"bandwidth": "10Gbps", "latency": "1us"}}},
  "workload": {"model": "resnet50", "batch_size": 32, "compute": {"forward": "30ms", "backward": "60ms"},
    "imbalance": {"kind": "gamma", "coefficient_of_variation": 0.1}},
  "algorithms": [{"kind": "allreduce"}, {"kind": "ddp"}]})";

SweepPlan plan_of(const ScratchFolder& folder, const std::vector<std::string>& varied, int seeds = 1) {
  return read_sweep(
      {.file = folder.write("base.json", swept_base), .varied = varied, .overrides = {}, .seeds = seeds});
}

struct Sweep {
  SweepCounts counts;
  std::string rows;
  std::string summaries;
  std::string failed;
};

Sweep swept(const SweepPlan& plan, const std::filesystem::path& folder, const SweepOptions& options = {}) {
  std::filesystem::create_directories(folder);
  SweepStore store = SweepStore::open_or_make(folder);
  const SweepCounts counts = run_sweep(plan, store, options, {});
  write_sweep_tables(store, folder);
  return {counts, contents_of(folder / "sweep.csv"), contents_of(folder / "sweep_summary.csv"),
          contents_of(folder / "sweep_failed.csv")};
}

std::string line_of(const std::string& text, int number) {
  std::size_t start = 0;
  for (int i = 0; i < number; ++i) start = text.find('\n', start) + 1;
  return text.substr(start, text.find('\n', start) - start);
}

TEST_CASE("a sweep's rows are in order, and the same with any number of jobs") {
  const ScratchFolder folder;
  const SweepPlan plan = plan_of(folder, {"/cluster/workers=4,6", "/iterations=8,12"}, 2);
  const Sweep one = swept(plan, folder.path() / "one");
  const Sweep three = swept(plan, folder.path() / "three", {.jobs = 3});
  CHECK(one.counts.done == 8);
  CHECK(one.rows == three.rows);
  CHECK(one.summaries == three.summaries);
  CHECK(line_of(one.rows, 0)
            .starts_with("combination,replication,seed,algorithm,/cluster/workers,/"
                         "iterations,workers,iterations,iteration_time_s,"));
  CHECK(line_of(one.rows, 1).starts_with("0,0,1,allreduce,4,8,4,7,0.2"));
  CHECK(line_of(one.rows, 2).starts_with("0,0,1,ddp,4,8,4,7,0.1"));
  CHECK(line_of(one.rows, 3).starts_with("0,1,2,allreduce,4,8,4,7,0.2"));
  CHECK(line_of(one.rows, 16).starts_with("3,1,2,ddp,6,12,6,11,0.1"));
}

TEST_CASE("A run by SimGrid is refused that takes more memory than there is beside the others") {
  constexpr double bytes_of_message = 400;
  const double pairs = memory_of_process_bytes() / 8 / bytes_of_message;
  auto base = nlohmann::json::parse(swept_base);
  base["engine"] = "simgrid";
  base["cluster"]["workers"] = static_cast<int>(std::clamp(std::sqrt(pairs), 2048.0, 65536.0));
  base["algorithms"] = nlohmann::json::parse(R"([{"kind": "dpsgd", "graph": "complete"}])");
  const ScratchFolder folder;
  const SweepPlan plan = read_sweep({.file = folder.write("base.json", base.dump()),
                                     .varied = {"/iterations=11,12,13,14", "/workload/batch_size=1,2,3,4"},
                                     .overrides = {},
                                     .seeds = 1});
  SweepStore store = SweepStore::open_or_make(folder.path());
  store.set_plan(plan);
  std::string error;
  SweepObservers observers;
  observers.run_ended = [&error](const SweepRun& run, bool) { error = run.error; };
  run_combinations(plan, std::array<std::int64_t, 1>{0}, store, 16, observers);
  CAPTURE(error);
  CHECK(error.find(" of memory for each of 16 runs at once, expected fewer workers") != std::string::npos);
  CHECK(error.find(", or fewer --jobs") != std::string::npos);
}

TEST_CASE("a sweep warns once where the transport follows from the network, and changes with it") {
  const ScratchFolder folder;
  const auto warnings_with = [&](const char* transport, const char* name) {
    auto base = nlohmann::json::parse(swept_base);
    base.at("cluster").at("transport") = nlohmann::json::parse(transport);
    if (base.at("cluster").at("transport").is_null()) base.at("cluster").erase("transport");
    const SweepPlan plan = read_sweep({.file = folder.write("transport.json", base.dump()),
                                       .varied = {"/cluster/network/link/latency=4us,6us,7us"},
                                       .overrides = {},
                                       .seeds = 1});
    std::vector<std::string> warnings;
    SweepObservers observers;
    observers.warned = [&](const std::string& warning) { warnings.push_back(warning); };
    std::filesystem::create_directories(folder.path() / name);
    SweepStore store = SweepStore::open_or_make(folder.path() / name);
    (void)run_sweep(plan, store, {}, observers);
    return warnings;
  };
  const std::vector<std::string> warnings = warnings_with("null", "followed");
  REQUIRE(warnings.size() == 1);
  CHECK(warnings.front().starts_with("cluster.transport is not given"));
  CHECK(warnings_with(R"("nccl_ib")", "given").empty());
}

TEST_CASE("a sweep of batch sizes warns once where times are in proportion to them") {
  const ScratchFolder folder;
  const auto warnings_with = [&](const nlohmann::json& compute, const char* name) {
    auto base = nlohmann::json::parse(swept_base);
    base["workload"]["compute"] = compute;
    const SweepPlan plan = read_sweep({.file = folder.write("batches.json", base.dump()),
                                       .varied = {"/workload/batch_size=16,32"},
                                       .overrides = {},
                                       .seeds = 1});
    std::vector<std::string> warnings;
    SweepObservers observers;
    observers.warned = [&](const std::string& warning) { warnings.push_back(warning); };
    std::filesystem::create_directories(folder.path() / name);
    SweepStore store = SweepStore::open_or_make(folder.path() / name);
    (void)run_sweep(plan, store, {}, observers);
    return warnings;
  };
  const std::vector<std::string> warnings = warnings_with({{"throughput", 100}}, "rate");
  REQUIRE(warnings.size() == 1);
  CHECK(warnings.front().find("computing times are in proportion to it") != std::string::npos);
  CHECK(warnings_with({{"forward", "10ms"}, {"backward", "20ms"}}, "totals").empty());
}

TEST_CASE("a sweep tells of algorithms that ties decide, by their runs, and again where these are there") {
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
  observers.doubted = [&](const SweepRun& run, const Doubt& doubt) {
    combinations.push_back(run.combination);
    CHECK(doubt.kind == DoubtKind::decided_by_ties);
    CHECK(doubt.sentence.find(": allreduce takes ") != std::string::npos);
  };
  SweepStore store = SweepStore::open_or_make(folder.path());
  (void)run_sweep(plan, store, {.jobs = 2}, observers);
  CHECK(combinations == std::vector<std::int64_t>{0});
  CHECK(run_sweep(plan, store, {}, observers).reused == 2);
  CHECK(combinations == std::vector<std::int64_t>{0, 0});
}

TEST_CASE("a sweep tells of means that are not over whole periods, by their runs, and again") {
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
  observers.doubted = [&](const SweepRun& run, const Doubt& doubt) {
    combinations.push_back(run.combination);
    CHECK(doubt.kind == DoubtKind::partial_periods);
    CHECK(doubt.sentence.starts_with("local_sgd repeats its pattern after 4 iterations, and 10 are counted"));
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

TEST_CASE("a sweep tells of algorithms that leave network cards idle, with the first seed, and again") {
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
  observers.doubted = [&](const SweepRun& run, const Doubt& doubt) {
    CHECK(run.replication == 0);
    CHECK(doubt.kind == DoubtKind::uneven_traffic);
    warnings.push_back(doubt.sentence);
  };
  SweepStore store = SweepStore::open_or_make(folder.path());
  CHECK(run_sweep(plan, store, {}, observers).failed == 0);
  REQUIRE(warnings.size() == 2);
  CHECK(warnings[0] == warnings[1]);
  CHECK(warnings[0].find("cards.json: /cluster/nics_per_host: of what allreduce sends, one of 4 network") !=
        std::string::npos);
  CHECK(run_sweep(plan, store, {}, observers).reused == 4);
  CHECK(warnings.size() == 4);
}

TEST_CASE("more seeds do not make means sure that are not over whole periods") {
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
  for_each_combination(store, [&](std::int64_t combination, const std::vector<SweepRun>& runs) {
    const std::vector<SweepSummary> summaries = summaries_of(runs);
    const std::size_t time = index_of_figure("iteration_time_s");
    CHECK(summaries[0].figures[time]->has_error());
    CHECK(summaries[1].figures[time]->has_error() == (combination == 1));
    CHECK(summaries[1].figures[time]->value > 0);
  });
}

TEST_CASE("no speed-up is sure against a first algorithm of which other than whole periods are counted") {
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
  for_each_combination(store, [](std::int64_t combination, const std::vector<SweepRun>& runs) {
    const SweepSummary ddp = summaries_of(runs).at(1);
    CHECK(ddp.figures[index_of_figure("iteration_time_s")]->has_error());
    CHECK(ddp.figures[index_of_figure("speedup")]->has_error() == (combination == 1));
    CHECK(ddp.figures[index_of_figure("speedup")]->value > 0);
  });
  // Of one seed, too, whatever the run itself says of its speed-up.
  const Sweep one = swept(plan(1), folder.path() / "one");
  CHECK(line_of(one.summaries, 2).starts_with("0,ddp,1,12,0."));
  CHECK(line_of(one.summaries, 2).find(",,,,4,10,") != std::string::npos);  // workers and iterations follow
  CHECK(line_of(one.summaries, 4).starts_with("1,ddp,1,14,0."));
  CHECK(line_of(one.summaries, 4).find(",,,,4,12,") == std::string::npos);
  CHECK(line_of(one.summaries, 4).find(",4,12,") != std::string::npos);
}

TEST_CASE(
    "a sweep tells of iterations that still change while they are counted, and other seeds do not settle "
    "them") {
  const ScratchFolder folder;
  auto base = nlohmann::json::parse(swept_base);
  // What a slow worker delays spreads by one neighbor an iteration, so that all have met it after 32.
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
  observers.doubted = [&](const SweepRun& run, const Doubt& doubt) {
    settings.insert(run.result.at("scenario").at("iterations").dump());
    CHECK(doubt.kind == DoubtKind::unsettled);
    CHECK(doubt.sentence.starts_with("dpsgd: iterations still change while they are counted, from "));
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

TEST_CASE("what is said of means goes with a part into the whole") {
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
  merged.for_each_point([](const SweepRun& run) { CHECK(run.doubts.size() == 1); });
}

TEST_CASE("what is set where a value varies is refused, as it would have no effect") {
  const ScratchFolder folder;
  const std::filesystem::path file = folder.write("base.json", swept_base);
  for (const std::string set : {"/cluster/workers=3", "/cluster/network/link/bandwidth=1Gbps"}) {
    CAPTURE(set);
    const std::vector<std::string> varied{set.starts_with("/cluster/w") ? "/cluster/workers=4,8"
                                                                        : R"(/cluster/network=1,2)"};
    CHECK_THROWS_WITH_AS((void)read_sweep({.file = file, .varied = varied, .overrides = {set}, .seeds = 1}),
                         doctest::Contains("has no effect"), ScenarioError);
  }
  CHECK_NOTHROW((void)read_sweep({.file = file,
                                  .varied = {"/cluster/workers=4,8"},
                                  .overrides = {R"(/cluster={"workers": 2})"},
                                  .seeds = 1}));
}

TEST_CASE("what is in the store is not run again, whatever is added to the sweep") {
  const ScratchFolder folder;
  const Sweep first = swept(plan_of(folder, {"/cluster/workers=4,6"}), folder.path() / "out");
  const Sweep second = swept(plan_of(folder, {"/cluster/workers=2,4,6"}, 2), folder.path() / "out");
  CHECK(second.counts.reused == 2);
  CHECK(second.counts.done == 4);
  const Sweep fresh = swept(plan_of(folder, {"/cluster/workers=2,4,6"}, 2), folder.path() / "fresh");
  CHECK(second.rows == fresh.rows);
}

TEST_CASE("a sweep warns once of runs that another build has made, and keeps who made them") {
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
  CHECK(warnings.front().starts_with("runs are reused that another build of this version of starling made"));
  (void)swept(plan, folder.path() / "other");
  (void)swept(plan, folder.path() / "other");
  CHECK(again_in("other", plan) == 2);  // what is there stays
  CHECK(warnings.size() == 1);
}

TEST_CASE("a run that fails is kept with its error, and the others go on") {
  const ScratchFolder folder;
  const Sweep sweep = swept(plan_of(folder, {"/cluster/workers=4,0,6"}), folder.path() / "out");
  CHECK(sweep.counts.done == 2);
  CHECK(sweep.counts.failed == 1);
  CHECK(line_of(sweep.failed, 1) ==
        "1,0,0,failed,\"--vary /cluster/workers=0: /cluster/workers: out of range, got 0, expected an "
        "integer from 1 to 1048576\"");
  const Sweep again = swept(plan_of(folder, {"/cluster/workers=4,0,6"}), folder.path() / "out");
  CHECK(again.counts.reused == 2);
  CHECK(again.counts.failed == 1);  // tried again: why it failed may be gone
  CHECK(again.failed == sweep.failed);
}

TEST_CASE("a run of several jobs that takes more than the machine has fails before it begins") {
  const ScratchFolder folder;
  auto base = nlohmann::json::parse(swept_base);
  nlohmann::json job{{"workload", base["workload"]}, {"algorithm", {{"kind", "ddp"}}}};
  base["cluster"]["workers"] = 4000;
  job["workers"] = 2000;
  job["iterations"] = 1'000'000'000;
  base["jobs"] = {job, job};
  for (const char* of_one : {"workload", "algorithms", "iterations"}) base.erase(of_one);
  const SweepPlan plan = read_sweep({.file = folder.write("jobs.json", base.dump()),
                                     .varied = {"/cluster/network/link/latency=1us"},
                                     .overrides = {},
                                     .seeds = 1});
  const Sweep sweep = swept(plan, folder.path() / "out");
  CHECK(sweep.counts.failed == 1);
  CAPTURE(sweep.failed);
  CHECK(sweep.failed.find("2 jobs would take at least") != std::string::npos);
}

TEST_CASE("what failed is replaced by what a later try gives, never the other way round") {
  const ScratchFolder folder;
  const SweepPlan plan = plan_of(folder, {"/cluster/workers=4"});
  swept(plan, folder.path() / "done");
  const SweepStore done = SweepStore::open(folder.path() / "done");
  SweepStore store = SweepStore::open_or_make(folder.path());
  store.set_plan(plan);
  SweepRun run;
  run.scenario_hash = "a";
  run.error = "no memory";
  store.add(run);
  CHECK(store.hashes().empty());
  run.error = "killed";
  store.add(run);
  CHECK(store.run_of("a").error == "killed");
  run.error = "";
  run.result = done.run_of(*done.hashes().begin()).result;
  store.add(run);
  CHECK(store.hashes().size() == 1);
  run.error = "killed";
  store.add(run);
  CHECK(store.run_of("a").is_done());
}

TEST_CASE("combinations with the same scenario are done as soon as one of them is, with their figures") {
  const ScratchFolder folder;
  const SweepPlan plan = plan_of(folder, {"/cluster/network/link/bandwidth=10Gbps,1.25GBps"});
  swept(plan, folder.path() / "done");
  const SweepStore done = SweepStore::open(folder.path() / "done");
  REQUIRE(done.hashes().size() == 1);
  SweepStore store = SweepStore::open_or_make(folder.path());
  store.set_plan(plan);
  SweepRun run = done.run_of(*done.hashes().begin());
  const nlohmann::json result = std::exchange(run.result, {});
  run.error = "killed";
  store.add(run);
  run.error = "";
  run.result = result;
  run.combination = 1;
  store.add(run);
  CHECK(store.done_points() == 2);
  const SQLite::Database database((folder.path() / "sweep.sqlite").string());
  SQLite::Statement figures(database, "SELECT count(*) FROM figures WHERE combination = 0");
  REQUIRE(figures.executeStep());
  CHECK(figures.getColumn(0).getInt() == 2);
}

TEST_CASE("a folder is refused to a plan of other runs, and not to one that has become greater or smaller") {
  const ScratchFolder folder;
  swept(plan_of(folder, {"/cluster/workers=4,6"}, 2), folder.path() / "out");
  const SweepStore store = SweepStore::open(folder.path() / "out");
  store.refuse_other_plan(plan_of(folder, {"/cluster/workers=4,6"}), "another");
  store.refuse_other_plan(plan_of(folder, {"/cluster/workers=2,6,4"}, 2), "another");
  store.refuse_other_plan(plan_of(folder, {"/cluster/workers=4"}), "another");
  for (const char* other : {"/cluster/workers=4,8", "/iterations=4,6"})
    CHECK(error_of(folder.path(), [&] { store.refuse_other_plan(plan_of(folder, {other}), "another"); }) ==
          "--out: other runs than these are in this folder, got out, expected another");
}

TEST_CASE("a pointer that no combination can have is the sweep's own error") {
  const ScratchFolder folder;
  const SweepPlan plan = plan_of(folder, {"/cluster/wrokers=4,6"});
  CHECK(
      error_of(folder.path(), [&] {
        check_sweep(plan, {});
      }).starts_with("--vary /cluster/wrokers=4: /cluster/wrokers: unknown key (did you mean \"workers\"?)"));
}

TEST_CASE("of combinations that all are refused, each error is told, with the values for which it comes") {
  const ScratchFolder folder;
  const auto error_with = [&](const std::vector<std::string>& varied) {
    const SweepPlan plan = plan_of(folder, varied);
    return error_of(folder.path(), [&] { check_sweep(plan, {}); });
  };
  const std::string one = error_with({"/cluster/workers=0"});
  CHECK(one.find(" (with ") == std::string::npos);
  CHECK(error_with({"/cluster/workers=0,-1"}) == one + " (with workers=0; workers=-1)");
  CHECK(error_with({"/cluster/workers=0,-1,-2,-3,-4"}) ==
        one + " (with workers=0; workers=-1; workers=-2; and 2 more)");
  CHECK(error_with({"/cluster/workers=0", "/seed=1,2,3"}) == one);
  const std::string several = error_with({R"(/cluster/workers=0,"many")"});
  CHECK(several.starts_with(one + " (with workers=0)\n--vary /cluster/workers=\"many\": /cluster/workers: "));
  CHECK(several.ends_with(" (with workers=many)"));
}

TEST_CASE("a value that no combination can have is the sweep's own error, where others can be had") {
  const ScratchFolder folder;
  const auto check = [&](const std::vector<std::string>& varied) {
    const SweepPlan plan = plan_of(folder, varied);
    return error_of(folder.path(), [&] { check_sweep(plan, {}); });
  };
  const std::string one = check({"/cluster/workers=0"});
  CHECK(check({"/cluster/workers=4,0,6"}) == one);
  CHECK(check({"/iterations=4,6", "/cluster/workers=4,0,6", "/seed=1,2,3"}) == one);
  CHECK(check({"/iterations=4,0", "/cluster/workers=4,0"}).find("\n--vary /cluster/workers=0: ") !=
        std::string::npos);
}

TEST_CASE("a value is no error of the sweep if another one that it goes with is among those that vary") {
  const ScratchFolder folder;
  const auto check = [&](const std::string& varied, int numbers) {
    std::string list = "1";
    for (int i = 2; i <= numbers; ++i) list += fmt::format(",{}", i);
    const SweepPlan plan =
        read_sweep({.file = folder.write("base.json", swept_base),
                    .varied = {"/cluster/workers=" + list, varied},
                    .overrides = {"/cluster/workers_per_host=4",
                                  R"(/cluster/intra_host_link={"bandwidth": "100Gbps", "latency": "1us"})"},
                    .seeds = 1});
    return error_of(folder.path(), [&] { check_sweep(plan, {}); });
  };
  const std::string some = "/algorithms/0/collective=ring,hierarchical";  // which has a multiple of 4 workers
  CHECK(check(some, 3).find("hierarchical") != std::string::npos);
  CHECK(check(some, 4) == "no error");
  CHECK(check(some, 199) == "no error");
  const std::string none = "/algorithms/0/collective=ring,rnig";
  for (const int numbers : {40, 90, 199}) CHECK(check(none, numbers).find("rnig") != std::string::npos);
}

TEST_CASE("a value that no combination can have is found where it is in too many to look at all") {
  const ScratchFolder folder;
  const std::string seeds = "/seed=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20";
  const auto check = [&](const std::vector<std::string>& varied) {
    std::vector<std::string> all{"/iterations=3,4,5,6", seeds, "/cluster/workers=2,4,6,8"};
    all.insert(all.end(), varied.begin(), varied.end());
    const SweepPlan plan = plan_of(folder, all);
    return error_of(folder.path(), [&] { check_sweep(plan, {}); });
  };
  const std::string bandwidth = "/cluster/network/link/bandwidth=10Gbps,25Gpbs,40Gbps";
  CHECK(check({bandwidth}).starts_with("--vary /cluster/network/link/bandwidth=\"25Gpbs\": "));
  CHECK(check({bandwidth, "/workload/batch_size=8,none,16"}).find("\"25Gpbs\"") != std::string::npos);
  const std::string clash = R"(/cluster/network={"kind":"star"},)"
                            R"({"kind":"star","link":{"bandwidth":"1Gbps","latency":"1us"}})";
  CHECK(check({clash}).find("link") != std::string::npos);
}

TEST_CASE("a value that goes with one other is no error where it is in too many to look at all") {
  const ScratchFolder folder;
  std::string workers = "/cluster/workers=";
  for (int i = 1; i < 100; i += 2) workers += fmt::format("{},", i);
  workers += "8";  // the only multiple of 4
  for (const std::string collective : {"hierarchical", "hierarchicla"}) {
    const SweepPlan plan =
        read_sweep({.file = folder.write("base.json", swept_base),
                    .varied = {"/algorithms/0/collective=ring," + collective, "/seed=1,2,3,4,5,6", workers},
                    .overrides = {"/cluster/workers_per_host=4",
                                  R"(/cluster/intra_host_link={"bandwidth": "100Gbps", "latency": "1us"})"},
                    .seeds = 1});
    const std::string error = error_of(folder.path(), [&] { check_sweep(plan, {}); });
    if (collective == "hierarchical")
      CHECK(error == "no error");
    else
      CHECK(error.starts_with("--vary /algorithms/0/collective=\"hierarchicla\": "));
  }
}

TEST_CASE("each value of each axis is read once before anything is looked at more closely") {
  const ScratchFolder folder;
  std::string seeds = "/seed=1";
  for (int seed = 2; seed <= 150; ++seed) seeds += fmt::format(",{}", seed);
  const SweepPlan plan = plan_of(folder, {seeds + ",-1", "/iterations=3,4,5", "/cluster/workers=2,4"});
  CHECK(error_of(folder.path(), [&] { check_sweep(plan, {}); }).starts_with("--vary /seed=-1: "));
}

TEST_CASE("a combination has a point of each axis, and is the one that has these") {
  const ScratchFolder folder;
  const SweepPlan plan = plan_of(folder, {"/iterations=3,4", "/cluster/workers=4,6,8", "/seed=1,2"});
  CHECK(plan.points_of(11) == std::vector<std::size_t>{1, 2, 1});
  for (std::int64_t i = 0; i < plan.combinations(); ++i) CHECK(plan.combination_of(plan.points_of(i)) == i);
}

TEST_CASE("values are looked at by the combinations that have them") {
  const ScratchFolder folder;
  const SweepPlan plan = plan_of(folder, {"/iterations=3,4", "/cluster/workers=4,6,8", "/seed=1,2"});
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t point = 0; point < plan.axes()[axis].points.size(); ++point)
      for (std::int64_t i = 0; i < 12 / std::ssize(plan.axes()[axis].points); ++i)
        CHECK(plan.values(plan.combination_with(axis, point, i))[axis] ==
              plan.axes()[axis].points[point].front());
  CHECK(plan.combination_with(1, 2, 3) == 11);
}

TEST_CASE("shards put together are the whole") {
  const ScratchFolder folder;
  const SweepPlan plan = plan_of(folder, {"/cluster/workers=2,4,6,8,10"});
  const Sweep whole = swept(plan, folder.path() / "whole");
  swept(plan, folder.path() / "first", {.shard = 1, .shards = 2});
  swept(plan, folder.path() / "second", {.shard = 2, .shards = 2});
  SweepStore merged = SweepStore::open_or_make(folder.path());
  const SweepStore first = SweepStore::open(folder.path() / "first");
  merged.set_plan(first.plan());
  merged.merge(first);
  CHECK(merged.points() == 3);
  merged.merge(SweepStore::open(folder.path() / "second"));
  write_sweep_tables(merged, folder.path());
  CHECK(contents_of(folder.path() / "sweep.csv") == whole.rows);

  swept(plan_of(folder, {"/cluster/workers=2,4"}), folder.path() / "other");
  const SweepStore other = SweepStore::open(folder.path() / "other");
  CHECK(error_of(folder.path(), [&] { merged.merge(other); }) ==
        "other/sweep.sqlite: this is a part of another sweep, expected parts of one sweep");
}

TEST_CASE("a part that is put in twice is there once") {
  const ScratchFolder folder;
  const SweepPlan plan = plan_of(folder, {"/cluster/workers=2,4"});
  swept(plan, folder.path() / "part");
  const SweepStore part = SweepStore::open(folder.path() / "part");
  {
    SweepStore merged = SweepStore::open_or_make(folder.path());
    merged.set_plan(part.plan());
    merged.merge(part);
    merged.merge(part);
    CHECK(merged.points() == 2);
  }
  SQLite::Database database((folder.path() / "sweep.sqlite").string());
  CHECK(database.execAndGet("SELECT count(*) FROM figures").getInt() == 2 * 2);
}

/// The numbers of a row that begin at that field; the fields before hold no comma.
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

TEST_CASE("the interval of one seed is that of its result, also of three batches") {
  const ScratchFolder folder;
  const Sweep sweep = swept(plan_of(folder, {"/iterations=4,12"}), folder.path());
  const SweepStore store = SweepStore::open(folder.path());
  int line = 0;
  for_each_combination(store, [&](std::int64_t combination, const std::vector<SweepRun>& runs) {
    for (const SweepSummary& summary : summaries_of(runs))
      CHECK(summary.figures[2]->degrees_of_freedom == (combination == 0 ? 2 : 9));
    for (const nlohmann::json& run : runs.at(0).result.at("runs")) {
      const std::vector<double> numbers = numbers_of_row(line_of(sweep.summaries, ++line), 4, 3);
      CHECK(numbers[0] == run.at("standard_error_s").get<double>());
      CHECK(numbers[1] == about(run.at("interval_95_s")[0].get<double>()));
      CHECK(numbers[2] == about(run.at("interval_95_s")[1].get<double>()));
    }
  });
  CHECK(line == 4);
}

TEST_CASE("the error of several seeds is that of their means, and speed-ups are paired") {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder.path() / "out");
  SweepStore store = SweepStore::open_or_make(folder.path() / "out");
  run_sweep(plan_of(folder, {"/iterations=12"}, 4), store, {.jobs = 2}, {});
  for_each_combination(store, [](std::int64_t, const std::vector<SweepRun>& runs) {
    REQUIRE(runs.size() == 4);
    const std::vector<SweepSummary> summaries = summaries_of(runs);
    std::vector<double> means;
    for (const SweepRun& run : runs) means.push_back(run.result["runs"][1]["iteration_time_s"]["mean"]);
    const SampleEstimate expected = estimate_mean(means);
    CHECK(summaries[1].figures[2]->value == expected.value);
    CHECK(summaries[1].figures[2]->standard_error == expected.standard_error);
    // Both algorithms met the same draws, so their ratio is known better than if they had not.
    std::vector<double> rates;
    for (const SweepRun& run : runs) rates.push_back(run.result["runs"][1]["throughput_samples_per_s"]);
    CHECK(summaries[1].figures[index_of_figure("throughput_samples_per_s")]->value ==
          about(harmonic_mean(rates), 1e-12));
    const SampleEstimate apart = estimate_ratio(*summaries[0].figures[2], *summaries[1].figures[2]);
    CHECK(summaries[1].figures[23]->value == about(apart.value, 1e-12));
    CHECK(summaries[1].figures[23]->standard_error < 0.6 * apart.standard_error);
  });
}

TEST_CASE("a store of another kind or version is left alone") {
  const ScratchFolder folder;
  folder.write("text/sweep.sqlite", "this is a text that is long enough to be looked at, but no data base");
  CHECK(
      error_of(folder.path(), [&] { SweepStore::open(folder.path() / "text"); }) ==
      "text/sweep.sqlite: this file is no store of Starling's, expected what starling sweep --out wrote, of "
      "the version that reads it");
  CHECK(error_of(folder.path(), [&] { SweepStore::open_or_make(folder.path() / "text"); }) ==
        "--out: this file is no store of Starling's, got text/sweep.sqlite, expected another folder: results "
        "of different versions do not go together");
  CHECK(error_of(folder.path(), [&] { SweepStore::open(folder.path()); }) ==
        "sweep.sqlite: there is no sweep, expected a folder that starling sweep --out wrote");
}

/// Neither the folder nor its files may be written, not even by root, as long as it lives.
class WithoutWriting {
 public:
  explicit WithoutWriting(const std::filesystem::path& folder) : folder_(folder) {
    set_permissions(0555, 0444);
    is_root_ = ::geteuid() == 0 && ::seteuid(65534) == 0;
    // Folders above may be for root alone.
    if (is_root_ && !std::ifstream(folder / "sweep.sqlite")) is_root_ = ::seteuid(0) != 0;
  }
  ~WithoutWriting() {
    if (is_root_) CHECK(::seteuid(0) == 0);
    set_permissions(0755, 0644);
  }
  WithoutWriting(const WithoutWriting&) = delete;
  WithoutWriting& operator=(const WithoutWriting&) = delete;

 private:
  void set_permissions(unsigned of_folder, unsigned of_file) const {
    std::filesystem::permissions(folder_, std::filesystem::perms(of_folder));
    for (const auto& file : std::filesystem::directory_iterator(folder_))
      std::filesystem::permissions(file.path(), std::filesystem::perms(of_file));
  }

  std::filesystem::path folder_;
  bool is_root_ = false;
};

TEST_CASE("a store is read where nothing may be written, and nothing is left beside it") {
  const ScratchFolder folder;
  const std::filesystem::path out = folder.path() / "100 % #1?";
  const Sweep sweep = swept(plan_of(folder, {"/cluster/workers=4,6"}), out);
  const auto rows_of = [](const SweepStore& store) {
    std::vector<std::int64_t> combinations;
    store.for_each_point([&](const SweepRun& run) { combinations.push_back(run.combination); });
    return combinations;
  };
  const auto files = [&] { return std::distance(std::filesystem::directory_iterator(out), {}); };
  CHECK(files() == 4);
  {
    const WithoutWriting without(out);
    CHECK(rows_of(SweepStore::open(out)) == std::vector<std::int64_t>{0, 1});
    CHECK(files() == 4);
  }
  CHECK(rows_of(SweepStore::open(out)) == std::vector<std::int64_t>{0, 1});
  CHECK(files() == 4);
}

TEST_CASE("a damaged store is refused by its name") {
  const ScratchFolder folder;
  swept(plan_of(folder, {"/cluster/workers=4,6"}), folder.path() / "out");
  const std::string whole = contents_of(folder.path() / "out" / "sweep.sqlite");
  const auto error_with = [&](const std::string& text) {
    folder.write("out/sweep.sqlite", text);
    return error_of(folder.path(),
                    [&] { write_sweep_tables(SweepStore::open(folder.path() / "out"), folder.path()); });
  };

  std::string overwritten = whole;
  constexpr std::size_t page_bytes = 4096;
  std::fill_n(overwritten.begin() + page_bytes, page_bytes, '\xff');
  CHECK(error_with(overwritten) ==
        "out/sweep.sqlite: this store is damaged (database disk image is malformed), expected what starling "
        "sweep --out wrote");

  std::string renamed = whole;
  const std::string key = "\"iteration_time_s\"";
  for (std::size_t at = renamed.find(key); at != std::string::npos; at = renamed.find(key, at))
    renamed[at + 1] = 'I';
  CHECK(error_with(renamed) ==
        "out/sweep.sqlite: not of the form that it should have: key 'iteration_time_s' not found, expected "
        "what starling sweep --out wrote");

  CHECK(error_with("") ==
        "out/sweep.sqlite: there is no sweep in this store, expected one that starling "
        "sweep wrote");
  CHECK(error_with(whole) == "no error");
}

TEST_CASE("nothing is read of a store that lacks a run, or whose runs take less than no time") {
  const ScratchFolder folder;
  const auto refusal_after = [&](const std::string& name, const std::string& change) {
    swept(plan_of(folder, {"/cluster/workers=2,4"}), folder.path() / name);
    SQLite::Database((folder.path() / name / "sweep.sqlite").string(), SQLite::OPEN_READWRITE).exec(change);
    try {
      SweepStore::open(folder.path() / name).for_each_point([](const SweepRun&) {});
    } catch (const ScenarioError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refusal_after("whole", "VACUUM").empty());
  CHECK(refusal_after("lost", "DELETE FROM runs WHERE rowid = 1").find("a run that it lists is not there") !=
        std::string::npos);
  CHECK(refusal_after("negative",
                      "UPDATE runs SET result = json_set(result, '$.runs[0].iteration_time_s.mean', -5)")
            .find("allreduce takes less than no time") != std::string::npos);
  for (const std::string replication : {"-1", "1", "4294967296"})
    CHECK(refusal_after("replication" + replication,
                        "UPDATE points SET replication = " + replication + " WHERE combination = 1")
              .find("(there is no replication " + replication + ")") != std::string::npos);
}

TEST_CASE("a store whose plan is damaged is refused by its name") {
  const ScratchFolder folder;
  swept(plan_of(folder, {"/cluster/workers=2,4"}), folder.path() / "out");
  const auto refusal_with = [&](const char* plan) {
    SQLite::Database((folder.path() / "out" / "sweep.sqlite").string(), SQLite::OPEN_READWRITE)
        .exec(fmt::format("UPDATE meta SET value = {} WHERE key = 'plan'", plan));
    return error_of(folder.path(), [&] { (void)SweepStore::open(folder.path() / "out").plan(); });
  };
  CHECK(refusal_with("value") == "no error");
  CHECK(refusal_with("json_set(value, '$.seeds', 0)") ==
        "out/sweep.sqlite: this store is damaged (its plan has 0 seeds), expected what starling sweep --out "
        "wrote");
  CHECK(
      refusal_with("json_set(value, '$.seeds', 1, '$.axes[0].points', json('[]'))") ==
      "out/sweep.sqlite: this store is damaged (in its plan: nothing to vary), expected what starling sweep "
      "--out wrote");
}

TEST_CASE("a sweep does not go on in a store that lists runs which are not there") {
  const ScratchFolder folder;
  const SweepPlan plan = plan_of(folder, {"/cluster/workers=2,3,4,5,6,7"});
  swept(plan, folder.path() / "out");
  const std::string whole = contents_of(folder.path() / "out" / "sweep.sqlite");
  int refusals = 0;
  for (const std::string& hash : SweepStore::open(folder.path() / "out").hashes())
    for (std::size_t at = whole.find(hash); at != std::string::npos; at = whole.find(hash, at + 1)) {
      std::string disordered = whole;
      disordered.replace(at, hash.size(), hash.size(), 'z');
      folder.write("out/sweep.sqlite", disordered);
      try {
        swept(plan, folder.path() / "out");
      } catch (const std::exception& error) {
        refusals += std::string(error.what()).find("a run that it lists is not there") != std::string::npos;
      }
    }
  CHECK(refusals > 0);
}

}  // namespace
}  // namespace starling
