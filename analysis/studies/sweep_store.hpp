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

enum class DoubtKind {
  decided_by_ties,  ///< An algorithm's mean depends on the order of messages that come at the same moment.
  partial_periods,  ///< Other than whole periods of an algorithm are counted.
  /// Algorithms that send nothing but collectives, or a job, leave much of the network idle.
  uneven_traffic,
  unsettled,  ///< An algorithm's iteration times rise or fall while they are counted.
};

/// Why a run's figures may not be what somebody thinks they are: a sentence.
struct Doubt {
  DoubtKind kind;
  std::string sentence;
};

/// A run of a sweep that has ended, one way or the other.
struct SweepRun {
  std::int64_t combination = 0;
  int replication = 0;
  std::string scenario_hash;
  std::string error;      // empty if it was done
  nlohmann::json result;  // result.json without `simulation`; null after an error
  double wall_s = 0;
  std::string made_by = build();   // of Starling
  std::vector<Doubt> doubts = {};  // those about traffic with the first seed alone
  std::vector<InputContent> inputs = {};
  std::string taken_transport = {};  // if none is given, and there are messages; not in the store

  bool is_done() const { return error.empty(); }
};

/// What run a combination and replication are.
struct SweepPoint {
  std::int64_t combination = 0;
  int replication = 0;
  std::string scenario_hash;
};

/// The results of a sweep: DIR/sweep.sqlite, one file that any SQLite reads.
///
/// Table `runs` has a row per scenario that was run: its hash, Starling's version and build, seed, error or
/// result.json. Table `points` says which run a combination and replication of the present plan is. Table
/// `figures` has a row per run and algorithm with every varied value and every figure. Table `doubts` has
/// what is said of means and traffic, and `inputs` what the files held that a run was made of. `meta` holds
/// the plan and the version. What is added outlives the process once add() has returned; if the machine
/// itself stops, the latest runs may be lost, and the others stay. One process writes at a time.
class SweepStore {
 public:
  /// Opens DIR/sweep.sqlite, or makes it. @throws ScenarioError that names --out if the file is no such
  /// store, or one of another version of Starling; std::runtime_error if it cannot be written.
  static SweepStore open_or_make(const std::filesystem::path& folder);
  /// To be read only, for which the file need not be writable. @throws ScenarioError as well if there is
  /// none, and from all that reads if it is damaged.
  static SweepStore open(const std::filesystem::path& folder);
  SweepStore(SweepStore&&) noexcept;
  ~SweepStore();

  /// Makes this the plan whose points and figures are kept, with what of it is known: runs that are there.
  /// Runs of earlier plans stay.
  void set_plan(const SweepPlan& plan, std::span<const SweepPoint> known = {});
  /// Whether it is the plan already, with figures as set_plan() would have them.
  bool has_plan(const SweepPlan& plan) const;
  /// @throws ScenarioError if there is none.
  const SweepPlan& plan() const;

  /// @throws ScenarioError that names --out unless what was run here is a part of this plan, or this one of
  /// it.
  void refuse_other_plan(const SweepPlan& plan, const char* expected) const;
  /// @throws ScenarioError that names this store if its plan is another one.
  void refuse_part_of_other(const SweepPlan& plan) const;
  /// @throws ScenarioError that says how to go on if no run has ended yet, well or not.
  void refuse_if_none_has_ended() const;

  /// The scenarios that were run already, and did not fail.
  std::unordered_set<std::string> hashes() const;
  /// One of these. @throws ScenarioError if the store is damaged, so that it is not there.
  SweepRun run_of(const std::string& scenario_hash) const;

  /// Calls `changes`: all that these add is there in the end, or, if they throw, nothing.
  void together(const std::function<void()>& changes);
  /// Adds the run if its scenario is not there, or failed before; then notes what point the run of its
  /// scenario is, and that run's figures. Where one that failed is done now, all points of its scenario get
  /// these. Returns whether it was added.
  bool add(const SweepRun& run);
  /// Notes that a point is a run that is there, and its figures; returns that run. @throws ScenarioError if
  /// it is not there.
  SweepRun reuse(const SweepPoint& point);
  /// Copies runs of points that have none yet, or one that failed where these did not, from a store with the
  /// same plan. Calls `differs`, if it is not empty, for those whose result is another than what is kept.
  /// @throws ScenarioError if the plan is another one.
  void merge(const SweepStore& other, const std::function<void(const SweepRun&)>& differs = {});

  /// Calls `visit` for every point that was run, in order of combination and replication.
  void for_each_point(const std::function<void(const SweepRun&)>& visit) const;
  /// Calls visit() with each that failed.
  void for_each_failure(const std::function<void(const SweepRun&)>& visit) const;
  std::int64_t points() const;
  /// Without those that failed.
  std::int64_t done_points() const;
  /// The files that points were made of which did not fail, each once with everything that it held.
  std::vector<InputContent> inputs() const;
  /// The builds of Starling that made those points.
  std::vector<std::string> builds() const;

  const std::filesystem::path& path() const { return path_; }

 private:
  struct Impl;
  SweepStore(std::filesystem::path path, bool may_make);
  bool insert_run(const SweepRun& run);
  /// The points that are a run which failed.
  std::vector<SweepPoint> failed_points(const std::string& scenario_hash) const;
  void set_point(const SweepRun& run);
  void add_figures(const SweepRun& run);
  std::optional<SweepRun> run_at(std::int64_t combination, int replication) const;
  void visit_points(const char* condition, const std::function<void(const SweepRun&)>& visit) const;

  std::filesystem::path path_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace starling
