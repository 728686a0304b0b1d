#include "analysis/statistics/drift.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace starling {
namespace {

/// Of up to ten batches, all as long.
std::vector<double> batch_means(const SampleSeries& series) {
  constexpr std::size_t most_batches = 10;
  const std::span<const double> values = series.values;
  const std::size_t count =
      std::min(most_batches, values.size() / whole_length(series.period, series.least_length));
  if (count == 0) return {};
  const std::size_t length = values.size() / series.period / count * series.period;
  std::vector<double> means;
  for (std::size_t i = 0; i < count; ++i) means.push_back(plain_mean(values.subspan(i * length, length)));
  return means;
}

}  // namespace

std::optional<Drift> drift_of(const SampleSeries& series) {
  constexpr std::size_t fewest_batches = 5;
  constexpr double least_change = 0.005;
  constexpr double confidence = 0.999;
  const std::vector<double> means = batch_means(series);
  if (means.size() < fewest_batches) return std::nullopt;
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

}  // namespace starling
