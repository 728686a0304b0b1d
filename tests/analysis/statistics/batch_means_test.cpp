#include "analysis/statistics/batch_means.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
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

TEST_CASE("no batch is shorter than it has to be, and too few of them are none") {
  const std::vector<double> series(100, 1.0);
  CHECK(batch_means(series, 1, 10).means.size() == 10);
  CHECK(batch_means(series, 1, 11).means.size() == 9);
  CHECK(batch_means(series, 1, 11).length == 11);
  CHECK(batch_means(series, 6, 11).length == 12);
  CHECK(batch_means(series, 7, 11).means.size() == 7);
  CHECK(batch_means(series, 7, 11).length == 14);
  CHECK(batch_means(series, 1, 33).means.size() == 3);
  CHECK(batch_means(series, 1, 34).means.empty());
  for (const std::size_t period : {1U, 5U, 12U}) {
    for (const std::size_t least_length : {1U, 12U, 30U}) {
      const std::size_t enough = least_series(period, least_length);
      CHECK_FALSE(batch_means(std::vector<double>(enough, 1.0), period, least_length).means.empty());
      CHECK(batch_means(std::vector<double>(enough - 1, 1.0), period, least_length).means.empty());
    }
  }
}

TEST_CASE("what rises in every batch drifts, at its ends as the line through them") {
  std::vector<double> series;
  for (int i = 0; i < 100; ++i) series.push_back(10 + 0.01 * i);
  const auto drift = drift_of(batch_means(series));
  REQUIRE(drift);
  CHECK(drift->first == about(10.045));  // the mean of the first ten
  CHECK(drift->last == about(10.945));
  std::ranges::reverse(series);
  CHECK(drift_of(batch_means(series))->first == about(10.945));
  for (double& value : series) value += 1000;  // less than half a percent
  CHECK_FALSE(drift_of(batch_means(series)));
  CHECK_FALSE(drift_of(batch_means(std::vector<double>{1, 2, 3, 4})));
}

TEST_CASE("what rises half of the time drifts, what rises in the first tenth has settled") {
  const auto rising = [](int settled_after) {
    std::vector<double> series;
    for (int i = 0; i < 100; ++i) series.push_back(45 + 13.5 * std::min(i, settled_after) / settled_after);
    return series;
  };
  CHECK(drift_of(batch_means(rising(100))));
  CHECK(drift_of(batch_means(rising(50))));
  CHECK_FALSE(drift_of(batch_means(rising(5))));
}

TEST_CASE("noise is seldom taken for a drift") {
  const CounterRandom random(1, Purpose::data);
  constexpr int trials = 2000;
  int drifting = 0;
  for (std::uint32_t trial = 0; trial < trials; ++trial) {
    std::vector<double> series;
    for (std::uint64_t i = 0; i < 50; ++i) series.push_back(1 + random.uniform(trial, i));
    drifting += drift_of(batch_means(series)) ? 1 : 0;
  }
  CHECK(drifting <= 8);  // 2 ± 1.4 are expected
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
