#include "analysis/studies/sweep_store.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "analysis/studies/sweep_plan.hpp"
#include "analysis/studies/sweep_run.hpp"
#include "analysis/studies/sweep_tables.hpp"
#include "io/scenario_error.hpp"
#include "small_sweep.hpp"
#include "tests/io/scratch_folder.hpp"

namespace starling {
namespace {

TEST_CASE("a failed run is replaced by a later one, but a finished run never by a failed one") {
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

TEST_CASE("a store refuses a plan of other runs, but not one with more or fewer values") {
  const ScratchFolder folder;
  swept(plan_of(folder, {"/cluster/workers=4,6"}, 2), folder.path() / "out");
  const SweepStore store = SweepStore::open(folder.path() / "out");
  store.refuse_other_plan(plan_of(folder, {"/cluster/workers=4,6"}), "another");
  store.refuse_other_plan(plan_of(folder, {"/cluster/workers=2,6,4"}, 2), "another");
  store.refuse_other_plan(plan_of(folder, {"/cluster/workers=4"}), "another");
  for (const char* other : {"/cluster/workers=4,8", "/iterations=4,6"})
    CHECK(error_of(folder.path(), [&] { store.refuse_other_plan(plan_of(folder, {other}), "another"); }) ==
          "--out: this folder has the runs of another sweep, got out, expected another");
}

TEST_CASE("merged shards give the tables of the whole sweep") {
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

TEST_CASE("a part that is merged twice is stored once") {
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

TEST_CASE("a file that is no store of this version is refused and left as it is") {
  const ScratchFolder folder;
  folder.write("text/sweep.sqlite", "this is a text that is long enough to be looked at, but no data base");
  CHECK(error_of(folder.path(), [&] { SweepStore::open(folder.path() / "text"); }) ==
        "text/sweep.sqlite: this file is not a store of starling sweep, expected what starling sweep --out "
        "wrote with "
        "this version of starling");
  CHECK(error_of(folder.path(), [&] { SweepStore::open_or_make(folder.path() / "text"); }) ==
        "--out: this file is not a store of starling sweep, got text/sweep.sqlite, expected another folder: "
        "results of different versions cannot be combined");
  CHECK(error_of(folder.path(), [&] { SweepStore::open(folder.path()); }) ==
        "sweep.sqlite: there is no sweep, expected a folder that starling sweep --out wrote");
}

/// Makes a folder and its files read-only during its lifetime. Root becomes another user for that time,
/// unless that user cannot read the folder.
class WithoutWriting {
 public:
  explicit WithoutWriting(const std::filesystem::path& folder) : folder_(folder) {
    set_permissions(0555, 0444);
    is_root_ = ::geteuid() == 0 && ::seteuid(65534) == 0;
    // Stay root where parent folders are readable by root only.
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

TEST_CASE("a store in a read-only folder can be read, and no file is left beside it") {
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

TEST_CASE("a damaged store is refused by an error that names it") {
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
        "out/sweep.sqlite: not of the expected form: key 'iteration_time_s' not found, expected "
        "what starling sweep --out wrote");

  CHECK(error_with("") ==
        "out/sweep.sqlite: there is no sweep in this store, expected one that starling "
        "sweep wrote");
  CHECK(error_with(whole) == "no error");
}

TEST_CASE("a store that lacks a listed run is refused, as is one with negative times or replications") {
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
  CHECK(refusal_after("lost", "DELETE FROM runs WHERE rowid = 1").find("a run that it lists is missing") !=
        std::string::npos);
  CHECK(refusal_after("negative",
                      "UPDATE runs SET result = json_set(result, '$.runs[0].iteration_time_s.mean', -5)")
            .find("the iteration time of allreduce is negative") != std::string::npos);
  for (const std::string replication : {"-1", "1", "4294967296"})
    CHECK(refusal_after("replication" + replication,
                        "UPDATE points SET replication = " + replication + " WHERE combination = 1")
              .find("(there is no replication " + replication + ")") != std::string::npos);
}

TEST_CASE("a store with a damaged plan is refused by an error that names it") {
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

TEST_CASE("a sweep is not resumed in a store that lists missing runs") {
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
        refusals += std::string(error.what()).find("a run that it lists is missing") != std::string::npos;
      }
    }
  CHECK(refusals > 0);
}

}  // namespace
}  // namespace starling
