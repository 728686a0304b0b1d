#include "analysis/statistics/batch_means.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "sim/random.hpp"
#include "tests/rounding.hpp"

namespace starling {

namespace {

TEST_CASE("batch means of batches with known means") {
  const std::vector<double> series{1, 3, 2, 4, 6, 8};  // batches of two have the means 2, 3, 7
  const BatchMeans batches = batch_means(series, 2);
  CHECK(batches.means == std::vector<double>{2, 3, 7});
  CHECK(batches.length == 2);
  const SampleEstimate result = mean_by_batches(series, batches);
  CHECK(result.value == 4);
  // Deviations -2, -1, 3: 14 / (3·2).
  CHECK(result.standard_error == about(std::sqrt(14.0 / 6), 1e-12));
}

TEST_CASE("a pattern that repeats in every period has no sampling error") {
  std::vector<double> series;
  for (int i = 0; i < 330; ++i) series.push_back(i % 33 == 32 ? 5 : 1);
  CHECK(mean_by_batches(series, batch_means(series, 33)).standard_error == 0);
  CHECK(mean_by_batches(series, batch_means(series, 20)).standard_error > 0);
}

TEST_CASE("short series have a mean, and no error") {
  CHECK(mean_by_batches({}, {}).value == 0);
  const std::vector<double> series{1, 2};
  CHECK(batch_means(series).means.empty());
  CHECK(mean_by_batches(series, {}).value == 1.5);
  CHECK(!mean_by_batches(series, {}).has_error());
}

TEST_CASE("the error of independent values is that of their mean") {
  const CounterRandom random(7, Purpose::initiator);
  std::vector<double> series;
  for (std::uint64_t i = 0; i < 10000; ++i) series.push_back(static_cast<double>(random.below(1000, 0, i)));
  // √(1/12)·1000/100 = 2.89. Of ten batches: chi-squared with 9 degrees of freedom, so within a factor 0.4 …
  // 1.9 of it but in one case of a thousand.
  const SampleEstimate mean = mean_by_batches(series, batch_means(series));
  CHECK(mean.degrees_of_freedom == 9);
  CHECK(mean.standard_error > 0.4 * 2.89);
  CHECK(mean.standard_error < 1.9 * 2.89);
}

}  // namespace

}  // namespace starling
