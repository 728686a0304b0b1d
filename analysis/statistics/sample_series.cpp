#include "analysis/statistics/sample_series.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

#include "base/numbers/common_period.hpp"

namespace starling {
namespace {

/// Of these many values slow cosines are as good as of all.
constexpr std::size_t most_means = 4096;
constexpr std::size_t fewest_stretches = 3;

/// The means of consecutive stretches of whole periods, each of `length` values.
struct PeriodMeans {
  std::vector<double> values;
  std::size_t length = 1;
};

/// At most `most` means, of stretches as short as possible.
PeriodMeans period_means(std::span<const double> values, std::size_t period, std::size_t most) {
  const std::size_t periods = values.size() / period;
  PeriodMeans means{.values = {}, .length = period * std::max<std::size_t>(1, (periods + most - 1) / most)};
  for (std::size_t first = 0; first + means.length <= values.size(); first += means.length)
    means.values.push_back(plain_mean(values.subspan(first, means.length)));
  return means;
}

double autocovariance(std::span<const double> deviations, std::size_t lag) {
  double sum = 0;
  for (std::size_t i = lag; i < deviations.size(); ++i) sum += deviations[i] * deviations[i - lag];
  return sum / static_cast<double>(deviations.size());
}

/// 1 + 2 Σ ρ over a window of five times as many lags, or a third of the series; 1 where neighbors correlate
/// no more than by chance, and where all values are the same up to rounding.
double autocorrelation_time(std::vector<double> series) {
  constexpr double times_of_window = 5;
  constexpr double rounding = 1e-12;
  const double mean = plain_mean(series);
  for (double& value : series) value -= mean;
  const double variance = autocovariance(series, 0);
  const double by_chance = variance / std::sqrt(static_cast<double>(series.size()));
  if (variance <= std::pow(rounding * mean, 2) || autocovariance(series, 1) <= by_chance) return 1;
  double time = 1;
  for (std::size_t lag = 1; lag < series.size() / 3; ++lag) {
    time += 2 * autocovariance(series, lag) / variance;
    if (static_cast<double>(lag) >= times_of_window * time) break;
  }
  return time;
}

/// See decorrelation_length().
std::size_t length_that_decorrelates(const PeriodMeans& means) {
  constexpr double times_memory = 6;
  if (means.values.size() < fewest_stretches) return 1;
  const double time = autocorrelation_time(means.values);
  if (time <= 1) return 1;
  const auto least = static_cast<std::size_t>(std::ceil(times_memory * time));
  return std::min(least, means.values.size() / fewest_stretches) * means.length;
}

/// Λⱼ of these values. A constant weighs nothing, so values count from the first: equal ones weigh exactly 0.
double cosine_weight(std::span<const double> values, std::size_t j) {
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  for (std::size_t k = 0; k < values.size(); ++k)
    sum += (values[k] - values.front()) *
           std::cos(std::numbers::pi * static_cast<double>(j) * (static_cast<double>(k) + 0.5) / count);
  return std::sqrt(2 / count) * sum;
}

/// ν of m values, by their number alone.
std::size_t usual_cosines(std::size_t values) {
  const double of_reference = 0.4 * std::pow(static_cast<double>(values), 2.0 / 3);
  return static_cast<std::size_t>(std::clamp(of_reference, 4.0, 8.0));
}

}  // namespace

SampleSeries series_of_both(const SampleSeries& first, const SampleSeries& other) {
  return {.values = {},
          .period = static_cast<std::size_t>(common_period(static_cast<std::int64_t>(first.period),
                                                           static_cast<std::int64_t>(other.period))),
          .least_length = std::max(first.least_length, other.least_length),
          .iterations = first.iterations,
          .are_independent = first.are_independent};
}

SampleSeries condensed(SampleSeries series, std::size_t most_values) {
  if (series.values.size() <= most_values) return series;
  PeriodMeans means = period_means(series.values, series.period, most_values);
  return {.values = std::move(means.values),
          .period = 1,
          .least_length = whole_length(means.length, series.least_length) / means.length,
          .iterations = series.iterations * means.length,
          .are_independent = series.are_independent};
}

std::size_t whole_length(std::size_t period, std::size_t least_length) {
  return (least_length + period - 1) / period * period;
}

std::size_t least_series(std::size_t period, std::size_t least_length) {
  return fewest_stretches * whole_length(period, least_length);
}

std::size_t decorrelation_length(std::span<const double> values, std::size_t period) {
  return length_that_decorrelates(period_means(values, period, most_means));
}

SampleEstimate mean_of_series(const SampleSeries& series) {
  const std::span<const double> values = series.values;
  if (series.are_independent) return estimate_mean(values);
  if (values.empty()) return {};
  const double mean = plain_mean(values);
  const PeriodMeans means = period_means(values, series.period, most_means);
  const std::size_t least_length = std::max(series.least_length, length_that_decorrelates(means));
  const std::size_t stretches = values.size() / whole_length(series.period, least_length);
  if (stretches < fewest_stretches) return {.value = mean};
  const std::size_t cosines = std::min(usual_cosines(means.values.size()), stretches - 1);
  double squares = 0;
  for (std::size_t j = 1; j <= cosines; ++j) squares += std::pow(cosine_weight(means.values, j), 2);
  // The variance of a mean of all values, of which means of whole periods may leave some out.
  const double variance = squares / static_cast<double>(cosines) * static_cast<double>(means.length) /
                          static_cast<double>(values.size());
  return {.value = mean,
          .standard_error = error_beyond_rounding(std::sqrt(variance), mean),
          .degrees_of_freedom = static_cast<int>(cosines)};
}

}  // namespace starling
