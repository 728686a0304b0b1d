#include "analysis/results/result.hpp"

namespace starling {

SampleEstimate ratio_of_times(const Sampling& numerator, const Sampling& denominator) {
  SampleEstimate ratio;
  if (numerator.sample_s.are_paired_with(denominator.sample_s))
    ratio = estimate_ratio(numerator.sample_s.means, denominator.sample_s.means);
  else if (numerator.mean_s.has_error() && denominator.mean_s.has_error())
    ratio = estimate_ratio(numerator.mean_s, denominator.mean_s);
  ratio.value = numerator.mean_s.value / denominator.mean_s.value;
  return ratio;
}

void compare_with_first(const RunResult& first, RunResult& run) {
  const double mean_s = run.iteration_time_s.mean;
  if (mean_s <= 0) return;
  run.speedup = first.iteration_time_s.mean / mean_s;
  if (&first == &run || !first.sampling.mean_s.has_error() || !run.sampling.mean_s.has_error()) return;
  const bool is_measured = first.repetitions || run.repetitions;  // under no common draws
  SampleEstimate speedup = is_measured ? estimate_ratio(first.sampling.mean_s, run.sampling.mean_s)
                                       : ratio_of_times(first.sampling, run.sampling);
  speedup.value = *run.speedup;
  run.speedup_interval_95 = not_below_0(confidence_interval(speedup, 0.95));
}

}  // namespace starling
