#include "analysis/statistics/batch_means.hpp"

#include <algorithm>
#include <cmath>

namespace starling {
namespace {

constexpr std::size_t most_batches = 10;
constexpr std::size_t fewest_batches = 3;

std::size_t shortest_batch(std::size_t period, std::size_t least_length) {
  return (least_length + period - 1) / period * period;
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
  return result;
}

}  // namespace starling
