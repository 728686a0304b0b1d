#include "analysis/reproduction/batch_means.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace starling {

namespace {

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

MeanAndError batch_means(std::span<const double> series, std::size_t period) {
  if (series.empty()) return {};
  MeanAndError result{.mean = mean_of(series)};
  const std::size_t periods = series.size() / period;
  const std::size_t batches = std::min<std::size_t>(10, periods);
  if (batches < 3) return result;

  const std::size_t length = periods / batches * period;
  std::vector<double> means;
  for (std::size_t i = 0; i < batches; ++i) means.push_back(mean_of(series.subspan(i * length, length)));
  double squares = 0;
  for (const double mean : means) squares += (mean - mean_of(means)) * (mean - mean_of(means));
  const auto count = static_cast<double>(batches);
  result.standard_error = std::sqrt(squares / (count * (count - 1)));
  return result;
}

}  // namespace starling
