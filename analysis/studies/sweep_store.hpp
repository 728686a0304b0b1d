#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "analysis/studies/sweep_plan.hpp"
#include "io/version.hpp"
#include "scenarios/reading/scenario_hash.hpp"

namespace starling {

/// Why the figures of a run may mislead.
enum class WarningKind {
  decided_by_ties,  ///< An algorithm's mean depends on the order of messages that arrive at the same time.
  unchecked_ties,   ///< Whether it does was not checked, though it may.
  partial_periods,  ///< The counted iterations are not a whole number of an algorithm's periods.
  /// Algorithms that send only by collectives, or a job, leave much of the network idle.
  uneven_traffic,
  unsettled,  ///< An algorithm's iteration times still rise or fall while they are counted.
};

/// Why a run's figures may mislead, as a sentence for users.
struct RunWarning {
  WarningKind kind;
  std::string sentence;
};

/// A run of a sweep that has ended, successfully or not.
struct SweepRun {
  std::int64_t combination = 0;
  int replication = 0;
  std::string scenario_hash;
  std::string error;      // empty if the run succeeded
  nlohmann::json result;  // result.json without `simulation`; null after an error
  double wall_s = 0;
  std::string made_by = build();          // the build of Starling that made it
  std::vector<RunWarning> warnings = {};  // those about traffic with the first seed only
  std::vector<InputContent> inputs = {};
  /// The transport that followed from the network, if the scenario gives none and has more than one worker;
  /// not stored.
  std::string taken_transport = {};

  bool is_done() const { return error.empty(); }
};

/// A combination and replication, and the run that they stand for.
struct SweepPoint {
  std::int64_t combination = 0;
  int replication = 0;
  std::string scenario_hash;
};

/// The results of a sweep in one SQLite file, DIR/sweep.sqlite.
///
/// Table `runs` has a row per scenario that was run: its hash, the build of Starling, its seed, and its error
/// or result.json. Table `points` maps each combination and replication of the present plan to a run. Table
/// `figures` has a row per point and algorithm, with every varied value and every figure. Table `doubts` has
/// the warnings about each run, `inputs` its input files with the hashes of their contents, `meta` the plan
/// and the version of Starling. A run is safe from the end of this process once add() has returned; if the
/// machine itself crashes, only the latest runs may be lost. One process writes at a time.
class SweepStore {
 public:
  /// Opens DIR/sweep.sqlite for writing, or creates it. @throws ScenarioError that names --out if the file is
  /// no such store, or was written by another version of Starling; std::runtime_error if it cannot be
  /// written.
  static SweepStore open_or_make(const std::filesystem::path& folder);
  /// Opens it for reading; the file need not be writable. @throws ScenarioError that names the file if there
  /// is none, or it is no such store, or of another version. Functions that read throw ScenarioError if it is
  /// damaged.
  static SweepStore open(const std::filesystem::path& folder);
  SweepStore(SweepStore&&) noexcept;
  ~SweepStore();

  /// Makes this the store's plan. Deletes all points and figures, and adds those of `known`, points whose
  /// runs the store has. Runs of earlier plans stay.
  void set_plan(const SweepPlan& plan, std::span<const SweepPoint> known = {});
  /// Whether this is the store's plan already, with the table of figures that set_plan() would make.
  bool has_plan(const SweepPlan& plan) const;
  /// The store's plan. @throws ScenarioError if it has none.
  const SweepPlan& plan() const;

  /// @throws ScenarioError that names --out, with `expected`, unless the store has no points, or one of its
  /// plan and this plan contains the other.
  void refuse_other_plan(const SweepPlan& plan, const char* expected) const;
  /// @throws ScenarioError that names this store if its plan is not this one.
  void refuse_part_of_other(const SweepPlan& plan) const;
  /// @throws ScenarioError that says how to continue if no run of the plan has ended yet, successfully or
  /// not.
  void refuse_if_none_has_ended() const;

  /// The hashes of the scenarios that were run successfully.
  std::unordered_set<std::string> hashes() const;
  /// The run of a scenario, which the store must have. @throws ScenarioError that calls the store damaged if
  /// it does not.
  SweepRun run_of(const std::string& scenario_hash) const;

  /// Calls `changes` in one transaction: if it throws, the store is as before. Calls may be nested; the
  /// outermost one commits.
  void together(const std::function<void()>& changes);
  /// Adds the run if the store has no run of its scenario, or a failed one, which it replaces; then makes its
  /// point stand for the run that the store now has of that scenario. If it succeeded after a failure, all
  /// points of the scenario get its figures. Returns whether it was added.
  bool add(const SweepRun& run);
  /// Makes a point stand for the run of its scenario, which the store must have, and adds its figures;
  /// returns that run. @throws ScenarioError if the store does not have it.
  SweepRun reuse(const SweepPoint& point);
  /// Copies from a store with the same plan the runs of points that this store has no run of, or only a
  /// failed one where the other's succeeded. Calls `differs`, unless it is empty, for runs of the other store
  /// whose result is not the one that is kept. @throws ScenarioError if the plans differ.
  void merge(const SweepStore& other, const std::function<void(const SweepRun&)>& differs = {});

  /// Calls `visit` for every point that was run, in order of combination and replication.
  void for_each_point(const std::function<void(const SweepRun&)>& visit) const;
  /// Likewise for every point whose run failed.
  void for_each_failure(const std::function<void(const SweepRun&)>& visit) const;
  /// The number of points that were run.
  std::int64_t points() const;
  /// The number of points whose runs succeeded.
  std::int64_t done_points() const;
  /// The input files of the points whose runs succeeded: each file once for each of its contents.
  std::vector<InputContent> inputs() const;
  /// The builds of Starling that made the successful runs of these points.
  std::vector<std::string> builds() const;

  const std::filesystem::path& path() const { return path_; }

 private:
  struct Impl;
  SweepStore(std::filesystem::path path, bool may_make);
  bool insert_run(const SweepRun& run);
  /// The points of a scenario's run if it failed; empty otherwise.
  std::vector<SweepPoint> failed_points(const std::string& scenario_hash) const;
  void set_point(const SweepRun& run);
  void add_figures(const SweepRun& run);
  std::optional<SweepRun> run_at(std::int64_t combination, int replication) const;
  void visit_points(const char* condition, const std::function<void(const SweepRun&)>& visit) const;

  std::filesystem::path path_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace starling
