#include "analysis/results/result.hpp"

namespace starling {
namespace {

/// What was measured is in no pairs.
bool are_paired(const RunResult& first, const RunResult& run) {
  return !first.repetitions && !run.repetitions &&
         first.sampling.sample_s.are_paired_with(run.sampling.sample_s);
}

}  // namespace

void compare_with_first(const RunResult& first, RunResult& run) {
  const double mean_s = run.iteration_time_s.mean;
  if (mean_s <= 0) return;
  run.speedup = first.iteration_time_s.mean / mean_s;
  if (&first == &run || !first.sampling.mean_s.has_error() || !run.sampling.mean_s.has_error()) return;
  SampleEstimate speedup = are_paired(first, run)
                               ? estimate_ratio(first.sampling.sample_s.means, run.sampling.sample_s.means)
                               : estimate_ratio(first.sampling.mean_s, run.sampling.mean_s);
  speedup.value = *run.speedup;
  run.speedup_interval_95 = not_below_0(confidence_interval(speedup, 0.95));
}

}  // namespace starling
