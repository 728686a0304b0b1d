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

std::vector<double> means_of_each(std::span<const double> values, std::size_t length) {
  std::vector<double> means;
  for (std::size_t first = 0; first + length <= values.size(); first += length)
    means.push_back(plain_mean(values.subspan(first, length)));
  return means;
}

/// How many values are averaged for one mean of whole periods, so that there are at most so many means.
std::size_t length_of_means(std::size_t values, std::size_t period, std::size_t most) {
  const std::size_t periods = values / period;
  return period * std::max<std::size_t>(1, (periods + most - 1) / most);
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
  const std::size_t length = length_of_means(series.values.size(), series.period, most_values);
  return {.values = means_of_each(series.values, length),
          .period = 1,
          .least_length = whole_length(length, series.least_length) / length,
          .iterations = series.iterations * length,
          .are_independent = series.are_independent};
}

std::size_t whole_length(std::size_t period, std::size_t least_length) {
  return (least_length + period - 1) / period * period;
}

std::size_t least_series(std::size_t period, std::size_t least_length) {
  return fewest_stretches * whole_length(period, least_length);
}

std::size_t decorrelation_length(std::span<const double> values, std::size_t period) {
  constexpr double times_memory = 6;
  const std::size_t length = length_of_means(values.size(), period, most_means);
  const std::vector<double> means = means_of_each(values, length);
  if (means.size() < fewest_stretches) return 1;
  const double time = autocorrelation_time(means);
  if (time <= 1) return 1;
  const auto least = static_cast<std::size_t>(std::ceil(times_memory * time));
  return std::min(least, means.size() / fewest_stretches) * length;
}

SampleEstimate mean_of_series(const SampleSeries& series) {
  const std::span<const double> values = series.values;
  if (series.are_independent) return estimate_mean(values);
  if (values.empty()) return {};
  const double mean = plain_mean(values);
  const std::size_t stretches =
      values.size() /
      whole_length(series.period, std::max(series.least_length, decorrelation_length(values, series.period)));
  if (stretches < fewest_stretches) return {.value = mean};
  const std::size_t length = length_of_means(values.size(), series.period, most_means);
  const std::vector<double> means = means_of_each(values, length);
  const std::size_t cosines = std::min(usual_cosines(means.size()), stretches - 1);
  double squares = 0;
  for (std::size_t j = 1; j <= cosines; ++j) squares += std::pow(cosine_weight(means, j), 2);
  // The variance of a mean of all values, of which means of whole periods may leave some out.
  const double variance = squares / static_cast<double>(cosines) * static_cast<double>(length) /
                          static_cast<double>(values.size());
  return {.value = mean,
          .standard_error = error_beyond_rounding(std::sqrt(variance), mean),
          .degrees_of_freedom = static_cast<int>(cosines)};
}

}  // namespace starling
