#include "analysis/results/result.hpp"

namespace starling {
namespace {

/// The ratio estimator to the first order, as estimate_ratio(): its error is that of the mean of numerator −
/// ratio · denominator. Without an error where the common period of both patterns is too long for the series.
SampleEstimate ratio_of_pairs(const SampleSeries& numerators, const SampleSeries& denominators) {
  const double mean = plain_mean(denominators.values);
  const double numerator = plain_mean(numerators.values);
  const double ratio = numerator / mean;
  SampleSeries rest = series_of_both(numerators, denominators);
  for (std::size_t i = 0; i < numerators.values.size(); ++i)
    rest.values.push_back(numerators.values[i] - ratio * denominators.values[i]);
  SampleEstimate estimate = mean_of_series(rest);
  estimate.standard_error = error_beyond_rounding(estimate.standard_error, numerator) / mean;
  return estimate;
}

}  // namespace

std::optional<std::int64_t> counted_partially(std::int64_t iterations, std::int64_t period,
                                              std::span<const Replication> replications) {
  if (replications.empty())
    return is_of_partial_periods(iterations, period) ? std::optional(iterations) : std::nullopt;
  for (const Replication& each : replications)
    if (is_of_partial_periods(each.iterations, period)) return each.iterations;
  return std::nullopt;
}

SampleEstimate ratio_of_times(const Sampling& numerator, const Sampling& denominator) {
  SampleEstimate ratio;
  if (numerator.sample_s.are_paired_with(denominator.sample_s))
    ratio = ratio_of_pairs(numerator.sample_s, denominator.sample_s);
  if (!ratio.has_error() && numerator.mean_s.has_error() && denominator.mean_s.has_error())
    ratio = estimate_ratio(numerator.mean_s, denominator.mean_s);
  ratio.value = numerator.mean_s.value / denominator.mean_s.value;
  return ratio;
}

void compare_with_first(const RunResult& first, RunResult& run) {
  const double mean_s = run.iteration_time_s.mean;
  if (mean_s <= 0) return;
  run.speedup = first.iteration_time_s.mean / mean_s;
  if (&first == &run || !first.sampling.mean_s.has_error() || !run.sampling.mean_s.has_error()) return;
  const bool is_measured = first.repetitions || run.repetitions;  // without common draws
  SampleEstimate speedup = is_measured ? estimate_ratio(first.sampling.mean_s, run.sampling.mean_s)
                                       : ratio_of_times(first.sampling, run.sampling);
  speedup.value = *run.speedup;
  run.speedup_interval_95 = not_below_0(confidence_interval(speedup, 0.95));
}

}  // namespace starling
