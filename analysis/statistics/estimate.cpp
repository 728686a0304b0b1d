#include "analysis/statistics/estimate.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

#include "base/errors.hpp"

namespace starling {
namespace {

/// The standard error of the mean of deviations whose squares sum to this; 0 where they are but rounding.
double error_of_mean(double squares, std::size_t count, double mean) {
  const auto n = static_cast<double>(count);
  return error_beyond_rounding(std::sqrt(squares / (n * (n - 1))), mean);
}

/// How many standard errors an interval of that confidence reaches to either side.
double reach_of(int degrees_of_freedom, double confidence) {
  return boost::math::quantile(boost::math::students_t(degrees_of_freedom), (1 + confidence) / 2);
}

}  // namespace

double plain_mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double quantile(std::span<const double> ascending, double fraction) {
  STARLING_INVARIANT(!ascending.empty());
  const double position = fraction * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  const double weight = position - static_cast<double>(below);
  return ascending[below] + weight * (ascending[above] - ascending[below]);
}

double standard_deviation(std::span<const double> values, double mean) {
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

double harmonic_mean(std::span<const double> values) {
  double inverses = 0;
  for (const double value : values) inverses += 1 / value;
  return static_cast<double>(values.size()) / inverses;
}

double error_beyond_rounding(double error, double mean) {
  constexpr double rounding = 1e-9;
  return error > rounding * std::abs(mean) ? error : 0;
}

SampleEstimate estimate_mean(std::span<const double> values) {
  if (values.empty()) return {};
  SampleEstimate result{.value = plain_mean(values)};
  if (values.size() < 2) return result;
  double squares = 0;
  for (const double value : values) squares += (value - result.value) * (value - result.value);
  result.standard_error = error_of_mean(squares, values.size(), result.value);
  result.degrees_of_freedom = static_cast<int>(values.size()) - 1;
  return result;
}

SampleEstimate estimate_ratio(std::span<const double> numerators, std::span<const double> denominators) {
  STARLING_INVARIANT(numerators.size() == denominators.size() && !numerators.empty());
  const double mean = plain_mean(numerators);
  const double denominator = plain_mean(denominators);
  SampleEstimate result{.value = mean / denominator};
  if (numerators.size() < 2) return result;
  double squares = 0;
  for (std::size_t i = 0; i < numerators.size(); ++i) {
    const double deviation = numerators[i] - result.value * denominators[i];
    squares += deviation * deviation;
  }
  result.standard_error = error_of_mean(squares, numerators.size(), mean) / std::abs(denominator);
  result.degrees_of_freedom = static_cast<int>(numerators.size()) - 1;
  return result;
}

SampleEstimate estimate_ratio(const SampleEstimate& numerator, const SampleEstimate& denominator) {
  const double value = numerator.value / denominator.value;
  return {.value = value,
          .standard_error = std::hypot(numerator.standard_error, value * denominator.standard_error) /
                            std::abs(denominator.value),
          .degrees_of_freedom = std::min(numerator.degrees_of_freedom, denominator.degrees_of_freedom)};
}

Interval confidence_interval(const SampleEstimate& estimate, double confidence) {
  STARLING_INVARIANT(estimate.has_error());
  const double reach = reach_of(estimate.degrees_of_freedom, confidence) * estimate.standard_error;
  return {.least = estimate.value - reach, .greatest = estimate.value + reach};
}

std::optional<Interval> interval_95(const SampleEstimate& estimate) {
  if (!estimate.has_error()) return std::nullopt;
  return confidence_interval(estimate, 0.95);
}

double half_width_95(const SampleEstimate& estimate) {
  const std::optional<Interval> interval = interval_95(estimate);
  return interval ? interval->greatest - estimate.value : 0;
}

double half_width(const Interval& interval, double mean) {
  return interval.least > 0 ? (interval.greatest - interval.least) / 2 : interval.greatest - mean;
}

int degrees_of_reach_95(double standard_errors) {
  constexpr int most = 1000;
  const double with_rounding = standard_errors * (1 + 1e-6);
  int degrees = 1;
  while (degrees < most && reach_of(degrees, 0.95) > with_rounding) ++degrees;
  return degrees;
}

Interval not_below_0(const Interval& interval) {
  return {.least = std::max(0.0, interval.least), .greatest = std::max(0.0, interval.greatest)};
}

std::optional<Interval> interval_95_not_below_0(const SampleEstimate& estimate) {
  const std::optional<Interval> interval = interval_95(estimate);
  return interval ? std::optional(not_below_0(*interval)) : std::nullopt;
}

}  // namespace starling
