#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "analysis/studies/refused_combinations.hpp"
#include "analysis/studies/run_in_process.hpp"
#include "analysis/studies/sweep_plan.hpp"
#include "analysis/studies/sweep_store.hpp"

namespace starling {

/// How a sweep is run.
struct SweepOptions {
  int jobs = 1;  // runs at the same time
  /// Only every so many-th combination is run, from this one (counted from 1) on.
  int shard = 1;
  int shards = 1;
  /// With a limit, each run is made in a process of its own, which is ended where it takes longer.
  std::optional<RunLimit> run_limit = {};
};

/// Who wants to know how a sweep goes on; every member may be empty. All are called by the caller's thread.
struct SweepObservers {
  /// After a run is in the store; it was there before if it is reused.
  std::function<void(const SweepRun& run, bool is_reused)> run_ended = {};
  std::function<void(std::int64_t combination, const std::string& reason)> combination_skipped = {};
  /// Warnings of scenarios, each text once.
  std::function<void(const std::string& warning)> warned = {};
  /// Once for each doubt about a run, also of a run that was there before.
  std::function<void(const SweepRun& run, const Doubt& doubt)> doubted = {};
};

/// How many runs a sweep has or had.
struct SweepCounts {
  std::int64_t done = 0;
  std::int64_t failed = 0;
  std::int64_t reused = 0;                // done before
  std::int64_t skipped_combinations = 0;  // by filters
};

/// The combinations of a shard that are not filtered out.
CombinationSource combinations_of(const SweepPlan& plan, const SweepOptions& options);

/// Warns if a file that runs in the store were made of holds something else now, so that they are not reused.
/// Returns whether one does.
bool tell_changed_input(const SweepStore& store, const SweepObservers& observers);

/// Runs what the store does not have yet, and keeps every run in it as soon as it ends: whenever it is
/// interrupted, it goes on there. Runs that fail are kept with their errors. Results are the same with any
/// number of jobs. @throws std::runtime_error if the store cannot be written.
SweepCounts run_sweep(const SweepPlan& plan, SweepStore& store, const SweepOptions& options,
                      const SweepObservers& observers);

/// The same of these combinations alone, which are in order, of a plan that is the store's already.
SweepCounts run_combinations(const SweepPlan& plan, std::span<const std::int64_t> combinations,
                             SweepStore& store, int jobs, const SweepObservers& observers,
                             const std::optional<RunLimit>& run_limit = {});

/// Refuses, before anything is run, what is an error of the sweep and not of some of its runs: a misspelled
/// pointer, with which no combination can be read, or a value that no scenario may have. @throws
/// ScenarioError that says why none of the first hundred combinations can be read, or none that have the same
/// value (refuse_values_of_none()).
void check_sweep(const SweepPlan& plan, const SweepOptions& options);

/// How many runs a sweep's shard has, and how many are filtered out. O(combinations) where there are filters.
SweepCounts planned(const SweepPlan& plan, const SweepOptions& options);

}  // namespace starling
