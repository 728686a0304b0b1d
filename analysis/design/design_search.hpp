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

enum class CandidateState {
  tried,
  failed,         // its run has, or it cannot be run
  left_out,       // by the study
  over_budget,    // its network is
  dearer,         // than a network that reaches the target
  out_of_reach,   // it cannot reach the target
  without_gain,   // what costs less is as good, or better by what does not count
  without_target  // it was run, and did not reach its loss
};

/// What results call a state: "over_budget".
std::string name_of(CandidateState state);

/// What is known of a candidate.
///
/// The objective is in seconds, so that less is better: an iteration time, the time to a loss, or, of a
/// throughput, the time of a sample.
struct CandidateFinding {
  CandidateState state = CandidateState::tried;
  std::string reason = {};               // why it was not tried, or what failed
  double least_s = 0;                    // what the objective is at least
  SampleEstimate objective_s = {};       // if it was tried
  SampleEstimate iteration_time_s = {};  // likewise
};

/// How a study is searched.
struct DesignOptions {
  int jobs = 1;            // runs at the same time
  bool tries_all = false;  // whatever bounds say
  OptionalProgress progress = {};
  std::optional<RunLimit> run_limit = {};  // as SweepOptions has it
};

/// Finds what every candidate of a space is worth, by running as few as possible: branch and bound. In the
/// order of their price, then of their bound, those are run that may still be worth it by LowerBounds: that
/// can reach the target, are not over the budget, do not cost more than what reaches the target with its
/// whole 95 % interval, and can be on the front of price and objective: better than what costs as much, and
/// better by `least_gain` than the last on the front that costs less. So the front is that of running all.
///
/// Which candidates are run depends on `jobs`, as that many are begun at once; what is found does not: what
/// one job would not have run is left out all the same. Results are kept in the store as they come, and not
/// run again. Reference: Land, Doig, "An automatic method of solving discrete programming problems",
/// Econometrica 28(3), 1960.
/// @throws std::runtime_error if the store cannot be written.
std::vector<CandidateFinding> search_design(const DesignStudy& study, const DesignSpace& space,
                                            SweepStore& store, const DesignOptions& options,
                                            const SweepObservers& observers);

/// The target as an objective in seconds: the time of a sample of a throughput. The study must have one.
double target_s(const DesignStudy& study);

/// Whether the whole 95 % interval of the objective does not exceed that; without one, nothing is sure.
bool reaches_for_sure(const CandidateFinding& finding, double target_s);

}  // namespace starling
