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

TEST_CASE("a series that rises in every batch drifts, from and to the ends of the line through the batches") {
  std::vector<double> series;
  for (int i = 0; i < 100; ++i) series.push_back(10 + 0.01 * i);
  const auto drift = drift_of({.values = series});
  REQUIRE(drift);
  CHECK(drift->first == about(10.045));  // the line at the mean of the first ten values
  CHECK(drift->last == about(10.945));
  std::ranges::reverse(series);
  CHECK(drift_of({.values = series})->first == about(10.945));
  for (double& value : series) value += 1000;  // less than half a percent
  CHECK_FALSE(drift_of({.values = series}));
  CHECK_FALSE(drift_of({.values = {1, 2, 3, 4}}));
}

TEST_CASE(
    "a series that rises for half of its length drifts, one that rises in its first twentieth has settled") {
  const auto rising = [](int settled_after) {
    std::vector<double> series;
    for (int i = 0; i < 100; ++i) series.push_back(45 + 13.5 * std::min(i, settled_after) / settled_after);
    return series;
  };
  CHECK(drift_of({.values = rising(100)}));
  CHECK(drift_of({.values = rising(50)}));
  CHECK_FALSE(drift_of({.values = rising(5)}));
}

TEST_CASE("a change of half a percent is a drift") {
  const auto rising_by = [](double share) {
    std::vector<double> series;
    for (int i = 0; i < 10; ++i) series.push_back(1 + share * (i - 4.5) / 9);
    return drift_of({.values = series}).has_value();
  };
  CHECK_FALSE(rising_by(0.0049));
  CHECK(rising_by(0.0051));
}

TEST_CASE("a slope is a drift only if it is significant at 99.9 %") {
  // Student's two-sided t for 8 degrees of freedom at 99.9 % is 5.041 by a table. The residuals are a
  // parabola, orthogonal to the line.
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
  CHECK(drifting <= 8);  // 1 in 1000 of 2000: 2 ± 1.4 are expected, four standard deviations allowed
}

}  // namespace

}  // namespace starling
