#include "scenarios/batch_means.hpp"

#include <cmath>
#include <cstddef>
#include <numeric>

namespace starling {

namespace {

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

MeanAndError batch_means(std::span<const double> series) {
  constexpr std::size_t batches = 10;
  if (series.empty()) return {};
  MeanAndError result{.mean = mean_of(series)};
  if (series.size() < 2 * batches) return result;

  double squares = 0;
  for (std::size_t i = 0; i < batches; ++i) {
    const std::size_t first = i * series.size() / batches;
    const std::size_t end = (i + 1) * series.size() / batches;
    const double deviation = mean_of(series.subspan(first, end - first)) - result.mean;
    squares += deviation * deviation;
  }
  result.standard_error = std::sqrt(squares / (batches * (batches - 1)));
  return result;
}

}  // namespace starling
