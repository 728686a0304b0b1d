#include "analysis/statistics/estimate.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

#include "tests/rounding.hpp"

namespace starling {
namespace {

TEST_CASE("a harmonic mean is the inverse of the mean of inverses and 0 if a value is 0") {
  CHECK(harmonic_mean(std::vector<double>{2}) == about(2));
  CHECK(harmonic_mean(std::vector<double>{1, 3}) == about(1.5));
  CHECK(harmonic_mean(std::vector<double>{1, 0}) == 0);
}

TEST_CASE("a mean has the standard error and the interval by Student's t") {
  const std::vector<double> values{2, 4, 9};
  const SampleEstimate mean = estimate_mean(values);
  CHECK(mean.value == 5);
  CHECK(mean.standard_error == about(std::sqrt(26.0 / 6), 1e-6));  // deviations −3, −1, 4
  CHECK(mean.degrees_of_freedom == 2);
  const Interval interval = confidence_interval(mean, 0.95);
  CHECK(interval.greatest - 5 == about(4.302653 * mean.standard_error, 1e-6));  // t(0.975; 2) by a table
  CHECK(5 - interval.least == about(4.302653 * mean.standard_error, 1e-6));
  CHECK(interval.holds(5));
  CHECK(!interval.holds(15));
  REQUIRE(interval_95(mean));
  CHECK(interval_95(mean)->least == interval.least);
  CHECK(interval_95(mean)->greatest == interval.greatest);
}

TEST_CASE("the interval of a quantity that cannot be negative begins at 0 at the least") {
  const SampleEstimate mean = estimate_mean(std::vector<double>{2, 4, 9});
  REQUIRE(interval_95(mean)->least < 0);
  REQUIRE(interval_95_not_below_0(mean));
  CHECK(interval_95_not_below_0(mean)->least == 0);
  CHECK(interval_95_not_below_0(mean)->greatest == interval_95(mean)->greatest);
  const SampleEstimate surer = estimate_mean(std::vector<double>{4, 5, 6});
  CHECK(interval_95_not_below_0(surer)->least == interval_95(surer)->least);
  CHECK(!interval_95_not_below_0(estimate_mean(std::vector<double>{3})));
  CHECK(not_below_0({.least = -2, .greatest = -1}).greatest == 0);
}

TEST_CASE("a single value has no error, and values that differ by rounding have an error of 0") {
  const std::vector<double> one{3};
  CHECK(!estimate_mean(one).has_error());
  CHECK(!interval_95(estimate_mean(one)));
  CHECK(estimate_mean(one).value == 3);
  const std::vector<double> rounded{0.1, 0.1 + 1e-14, 0.1};
  CHECK(estimate_mean(rounded).standard_error == 0);
}

TEST_CASE("two values have an error with one degree of freedom") {
  const std::vector<double> two{1, 3};  // deviations −1, 1: √(2/(2·1))
  const std::vector<double> ones{1, 1};
  for (const SampleEstimate& estimate : {estimate_mean(two), estimate_ratio(two, ones)}) {
    CHECK(estimate.value == 2);
    CHECK(estimate.standard_error == 1);
    CHECK(estimate.degrees_of_freedom == 1);
  }
}

TEST_CASE("variation that numerator and denominator share adds nothing to the error of their ratio") {
  const std::vector<double> denominators{1, 5, 3};
  const std::vector<double> doubled{2, 10, 6};
  const SampleEstimate ratio = estimate_ratio(doubled, denominators);
  CHECK(ratio.value == 2);
  CHECK(ratio.standard_error == 0);
  CHECK(estimate_ratio(estimate_mean(doubled), estimate_mean(denominators)).standard_error > 0.5);
}

TEST_CASE("the error of a ratio of pairs is that of its linearization for hand-worked values") {
  const std::vector<double> numerators{1, 2, 3};
  const std::vector<double> denominators{1, 1, 2};
  const SampleEstimate ratio = estimate_ratio(numerators, denominators);
  CHECK(ratio.value == 1.5);
  // Deviations of numerator − 1.5 · denominator are −½, ½, 0: √(½/(3·2)) over the mean denominator 4/3.
  CHECK(ratio.standard_error == about(std::sqrt(0.5 / 6) * 0.75, 1e-6));
}

TEST_CASE("the relative error of a ratio of two means is the root of both squared relative errors") {
  const SampleEstimate numerator{.value = 6, .standard_error = 0.3, .degrees_of_freedom = 9};
  const SampleEstimate denominator{.value = 2, .standard_error = 0.4, .degrees_of_freedom = 4};
  const SampleEstimate ratio = estimate_ratio(numerator, denominator);
  CHECK(ratio.value == 3);
  CHECK(ratio.standard_error == about(3 * std::hypot(0.3 / 6, 0.4 / 2)));
  CHECK(ratio.degrees_of_freedom == 4);
  CHECK(estimate_ratio(denominator, numerator).degrees_of_freedom == 4);
}

TEST_CASE("the half width of an interval that was cut off at 0 is its reach above the mean") {
  CHECK(half_width({.least = 1, .greatest = 5}, 3) == 2);
  CHECK(half_width({.least = 0, .greatest = 5}, 2) == 3);
}

TEST_CASE("Half the width of a 95 % interval is Student's quantile times the standard error") {
  // 1, 2, 3: s = 1, t(0.975; 2) = 4.302653.
  const SampleEstimate mean = estimate_mean(std::vector<double>{1, 2, 3});
  CHECK(mean.value == 2);
  CHECK(half_width_95(mean) == about(4.302653 / std::sqrt(3.0), 1e-6));
  CHECK(half_width_95(estimate_mean(std::vector<double>{1})) == 0);
}

TEST_CASE("The degrees of freedom follow from the reach of a 95 % interval in standard errors") {
  for (const int degrees : {1, 2, 9, 99}) {
    const SampleEstimate estimate{.value = 3, .standard_error = 0.25, .degrees_of_freedom = degrees};
    CHECK(degrees_of_reach_95(half_width_95(estimate) / 0.25) == degrees);
  }
  CHECK(degrees_of_reach_95(1.9) == 1000);
}

TEST_CASE("A median is the middle value, or the mean of the two middle values") {
  CHECK(median_of({3, 1, 2}) == 2);
  CHECK(median_of({4, 1, 2, 3}) == 2.5);
}

TEST_CASE("A quantile is interpolated linearly between the two nearest numbers") {
  const std::array<double, 5> values{1, 2, 4, 8, 16};
  CHECK(quantile(values, 0) == 1);
  CHECK(quantile(values, 0.25) == 2);
  CHECK(quantile(values, 0.375) == 3);
  CHECK(quantile(values, 0.5) == 4);
  CHECK(quantile(values, 0.875) == 12);
  CHECK(quantile(values, 1) == 16);
}

TEST_CASE("Every quantile of one number is that number") {
  const std::array<double, 1> values{3};
  for (const double fraction : {0.0, 0.05, 0.5, 1.0}) CHECK(quantile(values, fraction) == 3);
}

TEST_CASE("A standard deviation is the population's") {
  CHECK(standard_deviation(std::array<double, 4>{1, 1, 5, 5}, 3) == 2);
}

}  // namespace
}  // namespace starling
