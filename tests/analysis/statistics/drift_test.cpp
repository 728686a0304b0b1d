#include "analysis/statistics/drift.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "sim/random.hpp"
#include "tests/rounding.hpp"

namespace starling {

namespace {

TEST_CASE("what rises in every batch drifts, at its ends as the line through them") {
  std::vector<double> series;
  for (int i = 0; i < 100; ++i) series.push_back(10 + 0.01 * i);
  const auto drift = drift_of({.values = series});
  REQUIRE(drift);
  CHECK(drift->first == about(10.045));  // the mean of the first ten
  CHECK(drift->last == about(10.945));
  std::ranges::reverse(series);
  CHECK(drift_of({.values = series})->first == about(10.945));
  for (double& value : series) value += 1000;  // less than half a percent
  CHECK_FALSE(drift_of({.values = series}));
  CHECK_FALSE(drift_of({.values = {1, 2, 3, 4}}));
}

TEST_CASE("what rises half of the time drifts, what rises in the first tenth has settled") {
  const auto rising = [](int settled_after) {
    std::vector<double> series;
    for (int i = 0; i < 100; ++i) series.push_back(45 + 13.5 * std::min(i, settled_after) / settled_after);
    return series;
  };
  CHECK(drift_of({.values = rising(100)}));
  CHECK(drift_of({.values = rising(50)}));
  CHECK_FALSE(drift_of({.values = rising(5)}));
}

TEST_CASE("what changes by half a percent drifts") {
  const auto rising_by = [](double share) {
    std::vector<double> series;
    for (int i = 0; i < 10; ++i) series.push_back(1 + share * (i - 4.5) / 9);
    return drift_of({.values = series}).has_value();
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
    return drift_of({.values = means}).has_value();
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
    drifting += drift_of({.values = series}) ? 1 : 0;
  }
  CHECK(drifting <= 8);  // 2 ± 1.4 are expected
}

}  // namespace

}  // namespace starling
