#include "analysis/studies/sweep_run.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "analysis/effort/memory_limit.hpp"
#include "analysis/studies/sweep_plan.hpp"
#include "analysis/studies/sweep_reader.hpp"
#include "analysis/studies/sweep_store.hpp"
#include "small_sweep.hpp"
#include "tests/io/scratch_folder.hpp"

namespace starling {
namespace {

TEST_CASE("the rows of a sweep are in the order of combinations, and the same for any number of jobs") {
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

TEST_CASE("A run under simgrid that exceeds its share of the memory is refused") {
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

TEST_CASE("runs in the store are not repeated when the sweep is extended") {
  const ScratchFolder folder;
  const Sweep first = swept(plan_of(folder, {"/cluster/workers=4,6"}), folder.path() / "out");
  const Sweep second = swept(plan_of(folder, {"/cluster/workers=2,4,6"}, 2), folder.path() / "out");
  CHECK(second.counts.reused == 2);
  CHECK(second.counts.done == 4);
  const Sweep fresh = swept(plan_of(folder, {"/cluster/workers=2,4,6"}, 2), folder.path() / "fresh");
  CHECK(second.rows == fresh.rows);
}

TEST_CASE("a run that fails is stored with its error, and the others go on") {
  const ScratchFolder folder;
  const Sweep sweep = swept(plan_of(folder, {"/cluster/workers=4,0,6"}), folder.path() / "out");
  CHECK(sweep.counts.done == 2);
  CHECK(sweep.counts.failed == 1);
  CHECK(line_of(sweep.failed, 1) ==
        "1,0,0,failed,\"--vary /cluster/workers=0: /cluster/workers: out of range, got 0, expected an "
        "integer from 1 to 1048576\"");
  const Sweep again = swept(plan_of(folder, {"/cluster/workers=4,0,6"}), folder.path() / "out");
  CHECK(again.counts.reused == 2);
  CHECK(again.counts.failed == 1);  // tried again, as the reason of the failure may be gone
  CHECK(again.failed == sweep.failed);
}

TEST_CASE("a run of several jobs that exceeds the machine fails before it begins") {
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

TEST_CASE("combinations with the same scenario are all done as soon as one of them is") {
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

}  // namespace
}  // namespace starling
