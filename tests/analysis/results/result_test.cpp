#include "analysis/results/result.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "tests/rounding.hpp"

namespace starling {
namespace {

Sampling sampling_of_run(std::vector<double> values, std::size_t period = 1) {
  SampleSeries series{.values = std::move(values), .period = period};
  const SampleEstimate mean_s = mean_of_series(series);
  return {.mean_s = mean_s, .sample_s = std::move(series)};
}

/// What the same draws do to two algorithms.
double draw(int iteration) { return 1 + 0.3 * ((iteration * 7) % 10 - 4.5) / 4.5; }

TEST_CASE("a ratio of times that met the same draws has the error of what they do not share") {
  std::vector<double> one;
  std::vector<double> twice;
  for (int i = 0; i < 40; ++i) {
    one.push_back(draw(i));
    twice.push_back(2 * draw(i));
  }
  const Sampling numerator = sampling_of_run(twice);
  const SampleEstimate ratio = ratio_of_times(numerator, sampling_of_run(one));
  CHECK(ratio.value == about(2));
  CHECK(ratio.has_error());
  CHECK(ratio.standard_error <= rounding_of_sums);
  one.pop_back();  // other iterations: nothing is known of what they share
  CHECK(ratio_of_times(numerator, sampling_of_run(one)).standard_error > 0.001);
}

TEST_CASE("algorithms whose patterns repeat after other periods are in pairs, too, over both") {
  std::vector<double> first;
  std::vector<double> other;
  for (int i = 0; i < 60; ++i) {
    first.push_back(draw(i) + (i % 2 == 0 ? 0.5 : 0));
    other.push_back(draw(i) + (i % 3 == 0 ? 0.5 : 0));
  }
  const SampleEstimate ratio = ratio_of_times(sampling_of_run(first, 2), sampling_of_run(other, 3));
  CHECK(ratio.value == about((1 + 0.25) / (1 + 0.5 / 3)));
  CHECK(ratio.has_error());
  CHECK(ratio.standard_error < 0.01);
  // Patterns that both together repeat after more than a third of the run are not.
  const SampleEstimate apart = ratio_of_times(sampling_of_run(first, 8), sampling_of_run(other, 9));
  CHECK(apart.standard_error > ratio.standard_error);
}

TEST_CASE("a ratio has no error where one of the times has none") {
  const Sampling known = sampling_of_run({1, 2, 3, 4, 5, 6});
  CHECK_FALSE(ratio_of_times(known, {.mean_s = {.value = 2}}).has_error());
  CHECK(ratio_of_times(known, {.mean_s = {.value = 2}}).value == 1.75);
}

}  // namespace
}  // namespace starling
