#include "analysis/statistics/batch_means.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/numbers/common_period.hpp"

namespace starling {
namespace {

constexpr std::size_t most_batches = 10;
constexpr std::size_t fewest_batches = 3;

std::size_t shortest_batch(std::size_t period, std::size_t least_length) {
  return (least_length + period - 1) / period * period;
}

/// Of every so many values; what is left over at the end is in none.
std::vector<double> means_of_each(std::span<const double> series, std::size_t length) {
  std::vector<double> means;
  for (std::size_t first = 0; first + length <= series.size(); first += length)
    means.push_back(plain_mean(series.subspan(first, length)));
  return means;
}

/// What the deviations at that distance have in common.
double autocovariance(std::span<const double> deviations, std::size_t distance) {
  double sum = 0;
  for (std::size_t i = distance; i < deviations.size(); ++i) sum += deviations[i] * deviations[i - distance];
  return sum / static_cast<double>(deviations.size());
}

/// 1 + 2 Σ ρ, over a window of five times as many; 1 where neighbors are no more alike than by chance, and
/// where all are the same but for rounding. The window ends at a third of the series.
double autocorrelation_time(std::vector<double> series) {
  constexpr double times_of_window = 5;
  constexpr double rounding = 1e-12;
  const double mean = plain_mean(series);
  for (double& value : series) value -= mean;
  const double variance = autocovariance(series, 0);
  const double by_chance = variance / std::sqrt(static_cast<double>(series.size()));
  if (variance <= std::pow(rounding * mean, 2) || autocovariance(series, 1) <= by_chance) return 1;
  double time = 1;
  for (std::size_t distance = 1; distance < series.size() / 3; ++distance) {
    time += 2 * autocovariance(series, distance) / variance;
    if (static_cast<double>(distance) >= times_of_window * time) break;
  }
  return time;
}

}  // namespace

BatchMeans batch_means(std::span<const double> series, std::size_t period, std::size_t least_length) {
  const std::size_t count = std::min(most_batches, series.size() / shortest_batch(period, least_length));
  if (count < fewest_batches) return {};
  BatchMeans batches{.means = {}, .length = series.size() / period / count * period};
  for (std::size_t i = 0; i < count; ++i)
    batches.means.push_back(plain_mean(series.subspan(i * batches.length, batches.length)));
  return batches;
}

std::size_t least_series(std::size_t period, std::size_t least_length) {
  return fewest_batches * shortest_batch(period, least_length);
}

std::optional<Drift> drift_of(const BatchMeans& batches) {
  constexpr std::size_t fewest_of_line = 5;
  constexpr double least_change = 0.005;
  constexpr double confidence = 0.999;
  const std::vector<double>& means = batches.means;
  if (means.size() < fewest_of_line) return std::nullopt;
  const double middle = static_cast<double>(means.size() - 1) / 2;
  const double mean = plain_mean(means);
  double squares = 0;
  double products = 0;
  for (std::size_t i = 0; i < means.size(); ++i) {
    const double distance = static_cast<double>(i) - middle;
    squares += distance * distance;
    products += distance * (means[i] - mean);
  }
  const double slope = products / squares;
  double residues = 0;
  for (std::size_t i = 0; i < means.size(); ++i)
    residues += std::pow(means[i] - mean - slope * (static_cast<double>(i) - middle), 2);
  const int degrees = static_cast<int>(means.size()) - 2;
  const SampleEstimate estimate{.value = slope,
                                .standard_error = std::sqrt(residues / degrees / squares),
                                .degrees_of_freedom = degrees};
  const double half = slope * middle;
  if (2 * std::abs(half) < least_change * mean || confidence_interval(estimate, confidence).holds(0))
    return std::nullopt;
  return Drift{.first = mean - half, .last = mean + half};
}

SampleEstimate mean_by_batches(std::span<const double> series, const BatchMeans& batches) {
  if (series.empty()) return {};
  SampleEstimate result = estimate_mean(batches.means);
  result.value = plain_mean(series);
  const auto used = static_cast<double>(batches.means.size() * batches.length);
  result.standard_error *= std::sqrt(used / static_cast<double>(series.size()));
  return result;
}

std::size_t remembered(std::span<const double> series, std::size_t period) {
  constexpr double times_memory = 6;
  constexpr std::size_t most_means = 4096;
  const std::size_t periods_of_mean = 1 + series.size() / period / most_means;
  const std::vector<double> means = means_of_each(series, period * periods_of_mean);
  if (means.size() < fewest_batches) return 1;
  const double time = autocorrelation_time(means);
  if (time <= 1) return 1;
  const auto least = static_cast<std::size_t>(std::ceil(times_memory * time));
  return std::min(least, means.size() / fewest_batches) * period * periods_of_mean;
}

SampleSeries series_of_both(const SampleSeries& first, const SampleSeries& other) {
  return {.values = {},
          .period = static_cast<std::size_t>(common_period(static_cast<std::int64_t>(first.period),
                                                           static_cast<std::int64_t>(other.period))),
          .least_length = std::max(first.least_length, other.least_length),
          .iterations = first.iterations,
          .are_independent = first.are_independent};
}

BatchMeans batches_of(const SampleSeries& series) {
  const std::size_t least_length = std::max(series.least_length, remembered(series.values, series.period));
  return batch_means(series.values, series.period, least_length);
}

SampleEstimate mean_of_series(const SampleSeries& series) {
  if (series.are_independent) return estimate_mean(series.values);
  return mean_by_batches(series.values, batches_of(series));
}

}  // namespace starling
