#include "analysis/statistics/batch_means.hpp"

#include <algorithm>

namespace starling {
namespace {

constexpr std::size_t most_batches = 10;
constexpr std::size_t fewest_batches = 3;

}  // namespace

BatchMeans batch_means(std::span<const double> series, std::size_t period) {
  const std::size_t periods = series.size() / period;
  const std::size_t count = std::min(most_batches, periods);
  if (count < fewest_batches) return {};
  BatchMeans batches{.means = {}, .length = periods / count * period};
  for (std::size_t i = 0; i < count; ++i)
    batches.means.push_back(plain_mean(series.subspan(i * batches.length, batches.length)));
  return batches;
}

SampleEstimate mean_by_batches(std::span<const double> series, const BatchMeans& batches) {
  if (series.empty()) return {};
  SampleEstimate result = estimate_mean(batches.means);
  result.value = plain_mean(series);
  return result;
}

}  // namespace starling
