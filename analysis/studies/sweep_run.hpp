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
  /// Only every `shards`-th combination is run, beginning with the `shard`-th; both count from 1.
  int shard = 1;
  int shards = 1;
  /// With a limit, each run is made in a child process, which is ended when it takes longer.
  std::optional<RunLimit> run_limit = {};
};

/// Callbacks about the progress of a sweep; any may be empty. All are called on the thread that runs the
/// sweep.
struct SweepObservers {
  /// Once a run is in the store; `is_reused` if it was there before.
  std::function<void(const SweepRun& run, bool is_reused)> run_ended = {};
  std::function<void(std::int64_t combination, const std::string& reason)> combination_skipped = {};
  /// Warnings of scenarios and of the sweep, each text once.
  std::function<void(const std::string& warning)> warned = {};
  /// For each warning about a run, reused runs included.
  std::function<void(const SweepRun& run, const RunWarning& warning)> warned_of_run = {};
};

/// The numbers of a sweep's runs, and of the combinations that it leaves out.
struct SweepCounts {
  std::int64_t done = 0;
  std::int64_t failed = 0;
  std::int64_t reused = 0;                // done before this sweep
  std::int64_t skipped_combinations = 0;  // by filters
};

/// The combinations of a shard that are not filtered out, in order. `plan` must outlive the source.
CombinationSource combinations_of(const SweepPlan& plan, const SweepOptions& options);

/// Warns if an input file of runs in the store has changed, so that these are not reused. Returns whether one
/// has.
bool warn_of_changed_inputs(const SweepStore& store, const SweepObservers& observers);

/// Makes the runs of a shard that the store does not have yet, and adds each to the store as soon as it ends,
/// so that an interrupted sweep continues where it was. Runs that fail are kept with their errors, and are
/// tried again by the next sweep. Results do not depend on the number of jobs. @throws std::runtime_error if
/// the store cannot be written.
SweepCounts run_sweep(const SweepPlan& plan, SweepStore& store, const SweepOptions& options,
                      const SweepObservers& observers);

/// The same for these combinations only, in their order. `plan` must be the store's plan already.
SweepCounts run_combinations(const SweepPlan& plan, std::span<const std::int64_t> combinations,
                             SweepStore& store, int jobs, const SweepObservers& observers,
                             const std::optional<RunLimit>& run_limit = {});

/// Refuses, before any run, errors of the sweep as a whole: a misspelled pointer, with which no combination
/// can be read, or a value that no scenario may have. @throws ScenarioError with the reasons if none of the
/// first hundred combinations can be read, or no combination that has a certain value
/// (refuse_values_of_none()).
void check_sweep(const SweepPlan& plan, const SweepOptions& options);

/// The number of runs of a sweep's shard, as `done`, and of its combinations that are filtered out.
/// O(combinations).
SweepCounts planned(const SweepPlan& plan, const SweepOptions& options);

}  // namespace starling
