#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "analysis/studies/run_in_process.hpp"
#include "analysis/studies/sweep_inputs.hpp"
#include "analysis/studies/sweep_plan.hpp"
#include "analysis/studies/sweep_store.hpp"

namespace starling {

/// One run of a sweep: a combination with one of its seeds, counted from 0.
struct SweepTask {
  std::int64_t combination;
  int replication;
};

/// A run that has ended, or that was known and so was not repeated.
struct EndedRun {
  SweepRun run;
  bool is_known = false;  // `run` then has no result: the store has it under the hash
  std::vector<std::string> warnings = {};
};

/// Carries out the runs of a plan. Up to `threads` threads may call it at the same time.
class SweepExecutor {
 public:
  /// `known`: the scenario hashes of runs that need not be repeated; `inputs`: the input files that they
  /// read. With a limit, each run is made in a child process, which is ended when it takes longer. `plan`
  /// must outlive this object.
  SweepExecutor(const SweepPlan& plan, std::unordered_set<std::string> known,
                const std::vector<InputContent>& inputs, int threads, std::optional<RunLimit> limit = {});

  /// The task with its scenario hash if that is known; nullopt if it is not, or the scenario cannot be read.
  std::optional<SweepPoint> known_point(const SweepTask& task);
  /// Carries out a task unless its scenario is known. Does not throw: an exception becomes the run's error.
  EndedRun execute(const SweepTask& task);

 private:
  const SweepPlan& plan_;
  std::unordered_set<std::string> known_;
  SweepInputs inputs_;
  int threads_;
  std::optional<RunLimit> limit_;
};

/// Makes a run in the child process that answer_within() starts: takes its task and returns its answer, both
/// as JSON of an internal form.
std::string make_limited_run(const std::string& task);

}  // namespace starling
