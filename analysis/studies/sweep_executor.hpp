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

/// Which run of a sweep.
struct SweepTask {
  std::int64_t combination;
  int replication;
};

/// A run that has ended, or needs none.
struct EndedRun {
  SweepRun run;
  bool is_known = false;  // and has nothing but its hash then
  std::vector<std::string> warnings = {};
};

/// Carries out the runs of a plan; so many threads may use one at the same time.
class SweepExecutor {
 public:
  /// `known`: the hashes of runs that are there, and `inputs`: what was read for them. With a limit, each run
  /// is made in a process of its own, which is ended where it takes longer. `plan` must outlive this object.
  SweepExecutor(const SweepPlan& plan, std::unordered_set<std::string> known,
                const std::vector<InputContent>& inputs, int threads, std::optional<RunLimit> limit = {});

  /// Which run that is known a task is; none also where its scenario cannot be read.
  std::optional<SweepPoint> known_point(const SweepTask& task);
  /// Carries it out, unless it is known; what it throws is its error.
  EndedRun execute(const SweepTask& task);

 private:
  const SweepPlan& plan_;
  std::unordered_set<std::string> known_;
  SweepInputs inputs_;
  int threads_;
  std::optional<RunLimit> limit_;
};

/// What the process of a run that has a limit does: `task` is what it is told, and what it answers is
/// returned, both JSON that nobody else reads.
std::string make_limited_run(const std::string& task);

}  // namespace starling
