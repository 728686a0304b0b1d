#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/design/design_space.hpp"
#include "analysis/statistics/estimate.hpp"
#include "analysis/studies/sweep_run.hpp"
#include "analysis/studies/sweep_store.hpp"
#include "io/terminal/progress_line.hpp"

namespace starling {

/// What became of a candidate.
enum class CandidateState {
  tried,
  failed,         // a run failed, or the candidate cannot be run
  left_out,       // by a filter of the study
  over_budget,    // the network costs more than the budget
  dearer,         // the network costs more than one that reaches the target
  out_of_reach,   // by its lower bound it cannot reach the target
  without_gain,   // by its lower bound it cannot be better, by the least gain, than what costs no more
  without_target  // it was run, and did not reach the target loss
};

/// The name of a state in results: "over_budget".
std::string name_of(CandidateState state);

/// What is known of a candidate.
///
/// The objective is in seconds, so that less is better: the iteration time, the time to a loss, or, for a
/// throughput, the time per sample.
struct CandidateFinding {
  CandidateState state = CandidateState::tried;
  std::string reason = {};               // why it was not tried, or how it failed
  double least_s = 0;                    // lower bound of the objective
  SampleEstimate objective_s = {};       // if it was tried
  SampleEstimate iteration_time_s = {};  // if it was tried
};

/// How a study is searched.
struct DesignOptions {
  int jobs = 1;            // runs at the same time
  bool tries_all = false;  // runs all candidates within the budget, without regard to bounds
  OptionalProgress progress = {};
  std::optional<RunLimit> run_limit = {};  // @see SweepOptions
};

/// Finds the objective of every candidate that matters, by branch and bound. Candidates are taken in order of
/// their price, then of their lower bound (LowerBounds). One is run only if its network is within the budget,
/// its bound reaches the target, no cheaper network reaches the target with its whole 95 % interval, and its
/// bound allows it on the Pareto front: better than what costs as much, and better by `least_gain` than the
/// last on the front that costs less. Without a target the front is therefore that of running all candidates;
/// with one, as far as the target.
///
/// Which candidates are run depends on `jobs`, as that many runs begin at once; the findings do not: a
/// candidate that one job would not have run is not used. Results are added to the store as they come, and
/// are not run again. Reference: Land, Doig, "An automatic method of solving discrete programming problems",
/// Econometrica 28(3), 1960. @throws std::runtime_error if the store cannot be written.
std::vector<CandidateFinding> search_design(const DesignStudy& study, const DesignSpace& space,
                                            SweepStore& store, const DesignOptions& options,
                                            const SweepObservers& observers);

/// The target as an objective in seconds: for a throughput, the time per sample. The study must have a
/// target.
double target_s(const DesignStudy& study);

/// Whether the whole 95 % interval of the objective is at or below the target; false if it has no interval.
bool reaches_for_sure(const CandidateFinding& finding, double target_s);

}  // namespace starling
