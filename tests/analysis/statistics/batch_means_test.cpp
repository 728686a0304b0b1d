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

TEST_CASE("what changes by half a percent drifts") {
  const auto rising_by = [](double share) {
    std::vector<double> series;
    for (int i = 0; i < 10; ++i) series.push_back(1 + share * (i - 4.5) / 9);
    return drift_of({.means = series, .length = 1}).has_value();
  };
  CHECK_FALSE(rising_by(0.0049));
  CHECK(rising_by(0.0051));
}

TEST_CASE("a line that chance draws in one of a thousand series is no drift, a rarer one is") {
  // A table's t of 8 degrees, 99.9 % of both sides: 5.041. What is left of the line is a parabola.
  const auto drifts = [](double errors) {
    double squares = 0;
    for (int i = 0; i < 10; ++i) squares += std::pow(std::pow(i - 4.5, 2) - 8.25, 2);
    const double slope = errors * std::sqrt(squares / 8 / 82.5);
    std::vector<double> means;
    for (int i = 0; i < 10; ++i) means.push_back(1000 + slope * (i - 4.5) + std::pow(i - 4.5, 2) - 8.25);
    return drift_of({.means = means, .length = 1}).has_value();
  };
  CHECK_FALSE(drifts(5.0));
  CHECK(drifts(5.1));
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

/// A series in which so much of each deviation is left in the next one.
std::vector<double> autoregressive(double left, int length, std::uint32_t trial) {
  const CounterRandom random(3, Purpose::data);
  std::vector<double> series;
  double deviation = 0;
  for (int i = -100; i < length; ++i) {
    deviation = left * deviation + random.uniform(trial, static_cast<std::uint64_t>(i + 100)) - 0.5;
    if (i >= 0) series.push_back(7 + deviation);
  }
  return series;
}

int held_of(double left, int length, int trials, bool is_looked_at) {
  int held = 0;
  for (std::uint32_t trial = 0; trial < static_cast<std::uint32_t>(trials); ++trial) {
    const std::vector<double> series = autoregressive(left, length, trial);
    const SampleEstimate mean =
        is_looked_at ? mean_of_series({.values = series}) : mean_by_batches(series, batch_means(series));
    held += confidence_interval(mean, 0.95).holds(7) ? 1 : 0;
  }
  return held;
}

TEST_CASE("batches are longer where a series is seen to remember") {
  constexpr int trials = 1000;
  // What is left after one step is 0.8: an autocorrelation time of 9, so that batches of 10 are too short.
  // Three standard errors of 95 % in 1000 trials are 2.1 %.
  CHECK(held_of(0.8, 100, trials, true) > 0.92 * trials);
  CHECK(held_of(0.8, 100, trials, false) < 0.92 * trials);
  CHECK(held_of(0.8, 30, trials, true) > held_of(0.8, 30, trials, false) + trials / 10);
  // Of independent values batches stay as they are but where chance looks like memory.
  CHECK(std::abs(held_of(0, 100, trials, true) - 0.95 * trials) < 0.021 * trials);
}

TEST_CASE("what repeats in every period is no memory, and what never changes has none") {
  std::vector<double> series;
  for (int i = 0; i < 330; ++i) series.push_back(i % 33 < 16 ? 5 : 1);
  CHECK(remembered(series, 33) == 1);
  CHECK(mean_of_series({.values = series, .period = 33}).standard_error == 0);
  CHECK(remembered(std::vector<double>(100, 0.3)) == 1);
  CHECK(remembered({}) == 1);
  CHECK(remembered(std::vector<double>{1, 2}) == 1);
}

TEST_CASE("of a short series no more than a third is remembered, to the last period") {
  std::vector<double> rising;
  for (int i = 0; i < 9; ++i) rising.push_back(i);
  CHECK(remembered(rising) == 3);
  for (int i = 9; i < 18; ++i) rising.push_back(i);
  CHECK(remembered(rising, 2) == 6);
}

TEST_CASE("a long series is looked at in means of some values") {
  const std::vector<double> series = autoregressive(0.999, 100'000, 1);  // a time of 2,000
  CHECK(remembered(series) > 3 * 2000);
  CHECK(remembered(series) <= series.size() / 3);
}

TEST_CASE("the error is that of the whole series, of which some may be in no batch") {
  std::vector<double> series{1, 3, 2, 4, 6, 8};
  const double of_batches = mean_by_batches(series, batch_means(series, 2)).standard_error;
  BatchMeans batches = batch_means(series, 2);
  series.push_back(4);
  CHECK(mean_by_batches(series, batches).standard_error == about(of_batches * std::sqrt(6.0 / 7)));
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
