#include "analysis/statistics/sample_series.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "sim/random.hpp"
#include "tests/rounding.hpp"

namespace starling {

namespace {

TEST_CASE("with all cosines of a short series the error is that of independent values") {
  for (const std::vector<double>& values :
       {std::vector<double>{1, 5, 2}, {4, 1, 3, 2}, std::vector<double>{2, 7, 1, 4, 3}}) {
    const SampleEstimate mean = mean_of_series({.values = values});
    const SampleEstimate of_independent = estimate_mean(values);
    CHECK(mean.value == about(of_independent.value));
    CHECK(mean.standard_error == about(of_independent.standard_error));
    CHECK(mean.degrees_of_freedom == of_independent.degrees_of_freedom);
  }
}

/// Period k = 1 … m has the mean 5 + 3 cos(πj(k − ½)/m), and a pattern of `period` values around it.
std::vector<double> cosine(int j, int m, int period = 1) {
  std::vector<double> values;
  for (int k = 0; k < m; ++k)
    for (int i = 0; i < period; ++i)
      values.push_back(5 + 3 * std::cos(std::numbers::pi * j * (k + 0.5) / m) + (i == 0 ? period - 1 : -1));
  return values;
}

TEST_CASE("a pure cosine contributes to the error only if it is among the cosines that count") {
  // The coefficient of cosine j is Λⱼ² = 9·12/2, and all others are 0; the error is √(Λⱼ²/(d·m)) with d
  // cosines.
  const SampleEstimate quick = mean_of_series({.values = cosine(4, 12)});  // uncorrelated: 4 cosines count
  CHECK(quick.degrees_of_freedom == 4);
  CHECK(quick.standard_error == about(std::sqrt(54.0 / (4 * 12))));
  CHECK(mean_of_series({.values = cosine(5, 12)}).standard_error <= rounding_of_sums);
  const SampleEstimate slow =
      mean_of_series({.values = cosine(2, 12)});  // correlated over stretches of four values: 2 cosines count
  CHECK(slow.degrees_of_freedom == 2);
  CHECK(slow.standard_error == about(std::sqrt(54.0 / (2 * 12))));
}

TEST_CASE("the error of a series with a pattern is that of the means of its periods") {
  const SampleEstimate mean = mean_of_series({.values = cosine(4, 12, 5), .period = 5});
  CHECK(mean.value == about(5));
  CHECK(mean.degrees_of_freedom == 4);
  CHECK(mean.standard_error == about(std::sqrt(54.0 / (4 * 12))));
}

TEST_CASE("a pattern that repeats in every period has no sampling error") {
  std::vector<double> values;
  for (int i = 0; i < 330; ++i) values.push_back(i % 33 == 32 ? 5 : 1);
  CHECK(mean_of_series({.values = values, .period = 33}).standard_error == 0);
  CHECK(mean_of_series({.values = values, .period = 20}).standard_error > 0);
}

TEST_CASE(
    "the number of cosines is 0.4 m^2/3, from four to eight, and less than that of long enough stretches") {
  const auto degrees = [](std::size_t count, std::size_t least_length, std::size_t period = 1) {
    const CounterRandom random(5, Purpose::data);
    std::vector<double> values;
    for (std::uint64_t i = 0; i < count; ++i) values.push_back(random.uniform(0, i));
    const SampleSeries series{.values = values, .period = period, .least_length = least_length};
    REQUIRE(decorrelation_length(values, period) == 1);
    return mean_of_series(series).degrees_of_freedom;
  };
  CHECK(degrees(20, 1) == 4);
  CHECK(degrees(50, 1) == 5);
  CHECK(degrees(70, 1) == 6);
  CHECK(degrees(1000, 1) == 8);
  CHECK(degrees(100, 1, 2) == 5);
  CHECK(degrees(100, 11) == 8);
  CHECK(degrees(100, 20) == 4);
  CHECK(degrees(100, 33) == 2);
  CHECK(degrees(100, 34) == 0);
}

TEST_CASE("a series is long enough for an error if it has three stretches of whole periods") {
  for (const std::size_t period : {1U, 5U, 12U}) {
    for (const std::size_t least_length : {1U, 12U, 30U}) {
      const std::size_t enough = least_series(period, least_length);
      const auto has_error = [&](std::size_t count) {
        return mean_of_series({.values = std::vector<double>(count, 1.0),
                               .period = period,
                               .least_length = least_length})
            .has_error();
      };
      CHECK(has_error(enough));
      CHECK_FALSE(has_error(enough - 1));
    }
  }
}

/// A series of mean 7 whose deviations are an autoregressive process of first order with the coefficient
/// `left`.
std::vector<double> autoregressive(double left, int length, std::uint32_t trial) {
  const CounterRandom random(3, Purpose::data);
  std::vector<double> values;
  double deviation = 0;
  for (int i = -100; i < length; ++i) {
    deviation = left * deviation + random.uniform(trial, static_cast<std::uint64_t>(i + 100)) - 0.5;
    if (i >= 0) values.push_back(7 + deviation);
  }
  return values;
}

/// The share of 95 % intervals that contain the true mean.
double coverage(double left, int length) {
  constexpr std::uint32_t trials = 2000;
  int held = 0;
  for (std::uint32_t trial = 0; trial < trials; ++trial)
    held +=
        confidence_interval(mean_of_series({.values = autoregressive(left, length, trial)}), 0.95).holds(7);
  return held / static_cast<double>(trials);
}

TEST_CASE("95 % intervals have their coverage for independent series, and nearly so for correlated ones") {
  // Three standard errors of 95 % in 2000 trials are 1.5 %. The second and third series are short for their
  // correlation: intervals of ten batch means would cover 0.87 and 0.84.
  CHECK(coverage(0, 12) == about(0.95, 0.015 / 0.95));
  CHECK(coverage(0.36, 12) > 0.91);
  CHECK(coverage(0.8, 20) > 0.87);
  CHECK(coverage(0.8, 100) == about(0.95, 0.015 / 0.95));
}

TEST_CASE("a periodic pattern or a constant series has a decorrelation length of 1") {
  std::vector<double> values;
  for (int i = 0; i < 330; ++i) values.push_back(i % 33 < 16 ? 5 : 1);
  CHECK(decorrelation_length(values, 33) == 1);
  CHECK(decorrelation_length(std::vector<double>(100, 0.3)) == 1);
  CHECK(decorrelation_length({}) == 1);
  CHECK(decorrelation_length(std::vector<double>{1, 2}) == 1);
}

TEST_CASE("the decorrelation length is at most a third of a series, in whole periods") {
  std::vector<double> rising;
  for (int i = 0; i < 9; ++i) rising.push_back(i);
  CHECK(decorrelation_length(rising) == 3);
  for (int i = 9; i < 18; ++i) rising.push_back(i);
  CHECK(decorrelation_length(rising, 2) == 6);
}

TEST_CASE("the decorrelation length of a long series is found from means of several values") {
  const std::vector<double> values =
      autoregressive(0.999, 100'000, 1);  // a correlation time of (1 + 0.999)/(1 − 0.999), about 2,000
  CHECK(decorrelation_length(values) > 3 * 2000);
  CHECK(decorrelation_length(values) <= values.size() / 3);
}

TEST_CASE("a condensed series has the means of whole periods, and nearly the same error") {
  const std::vector<double> values = autoregressive(0.8, 1'003, 1);
  const SampleSeries series{.values = values, .period = 4, .least_length = 30, .iterations = 2};
  CHECK(condensed(series, 1'003).values == values);
  const SampleSeries shorter = condensed(series, 200);
  CHECK(shorter.values.size() == 125);  // means of 8 values each
  CHECK(shorter.values[1] == about(plain_mean(std::span(values).subspan(8, 8))));
  CHECK(shorter.period == 1);
  CHECK(shorter.least_length == 4);
  CHECK(shorter.iterations == 16);
  const SampleEstimate whole = mean_of_series({.values = values, .least_length = 32});
  const SampleEstimate of_means = mean_of_series(shorter);
  CHECK(of_means.degrees_of_freedom == whole.degrees_of_freedom);
  // The first eight cosines change little within 8 of 1,003 values, and 3 values are in no mean: 5 %.
  CHECK(of_means.standard_error == about(whole.standard_error, 0.05));
}

TEST_CASE("the error includes values beyond the last whole period") {
  std::vector<double> values{1, 3, 2, 4, 6, 8};
  const double of_periods = mean_of_series({.values = values, .period = 2}).standard_error;
  CHECK(of_periods ==
        about(std::sqrt(14.0 / 6)));  // means of periods 2, 3, 7, with the squared deviations 14
  values.push_back(4);
  CHECK(mean_of_series({.values = values, .period = 2}).standard_error ==
        about(of_periods * std::sqrt(6.0 / 7)));
}

TEST_CASE("short series have a mean but no error") {
  CHECK(mean_of_series({}).value == 0);
  const SampleEstimate mean = mean_of_series({.values = {1, 2}});
  CHECK(mean.value == 1.5);
  CHECK(!mean.has_error());
}

TEST_CASE("the differences of two series have their common period and the longer least length") {
  const SampleSeries both = series_of_both({.period = 4, .least_length = 3, .iterations = 2},
                                           {.period = 6, .least_length = 5, .iterations = 2});
  CHECK(both.values.empty());
  CHECK(both.period == 12);
  CHECK(both.least_length == 5);
  CHECK(both.iterations == 2);
}

}  // namespace

}  // namespace starling
