#include "analysis/results/result.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/rounding.hpp"

namespace starling {
namespace {

Sampling sampling_of_run(std::vector<double> values, std::size_t period = 1) {
  SampleSeries series{.values = std::move(values), .period = period};
  const SampleEstimate mean_s = mean_of_series(series);
  return {.mean_s = mean_s, .sample_s = std::move(series)};
}

/// A deterministic substitute for a random factor of an iteration, between 0.7 and 1.3, common to two
/// algorithms.
double draw(int iteration) { return 1 + 0.3 * ((iteration * 7) % 10 - 4.5) / 4.5; }

TEST_CASE("the error of a ratio of times with common draws excludes the variation that they share") {
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
  one.pop_back();  // other iterations are not paired: the variation counts
  CHECK(ratio_of_times(numerator, sampling_of_run(one)).standard_error > 0.001);
}

TEST_CASE("the ratio of runs without randomness has an error of 0, though their times are rounded") {
  const auto times_of = [](double iteration_s) {
    std::vector<double> times_s;
    double end_s = 0;
    for (int i = 0; i < 40; ++i) {
      const double begin_s = end_s;
      end_s += iteration_s;
      times_s.push_back(end_s - begin_s);
    }
    return times_s;
  };
  const std::vector<double> times_s = times_of(0.1);
  REQUIRE(std::ranges::adjacent_find(times_s, std::ranges::not_equal_to()) != times_s.end());
  const SampleEstimate ratio = ratio_of_times(sampling_of_run(times_s), sampling_of_run(times_of(0.07)));
  CHECK(ratio.value == about(10.0 / 7));
  CHECK(ratio.has_error());
  CHECK(ratio.standard_error == 0);
}

TEST_CASE("algorithms with different periods are paired over their common period") {
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
  // The common period of 72 is more than a third of the run: no pairs.
  const SampleEstimate apart = ratio_of_times(sampling_of_run(first, 8), sampling_of_run(other, 9));
  CHECK(apart.standard_error > ratio.standard_error);
}

TEST_CASE("the error of a ratio of pairs is that of its linearization") {
  std::vector<double> numerators;
  std::vector<double> denominators;
  for (int i = 0; i < 12; ++i) {
    numerators.push_back(6 + draw(2 * i));
    denominators.push_back(3 + draw(2 * i + 1));
  }
  const auto independent = [](const std::vector<double>& values) {
    const SampleSeries series{.values = values, .are_independent = true};
    return Sampling{.mean_s = mean_of_series(series), .sample_s = series};
  };
  const SampleEstimate ratio = ratio_of_times(independent(numerators), independent(denominators));
  const SampleEstimate expected = estimate_ratio(numerators, denominators);
  CHECK(ratio.value == about(expected.value));
  CHECK(ratio.standard_error == about(expected.standard_error));
  CHECK(ratio.degrees_of_freedom == expected.degrees_of_freedom);
}

TEST_CASE("pairs are batches of whole periods of both series and at least as long as either needs") {
  const auto of_run = [](const std::vector<double>& values, std::size_t period, std::size_t least_length) {
    const SampleSeries series{.values = values, .period = period, .least_length = least_length};
    return Sampling{.mean_s = mean_of_series(series), .sample_s = series};
  };
  std::vector<double> by_2;
  std::vector<double> by_3;
  for (int i = 0; i < 48; ++i) {
    by_2.push_back(i % 2 == 0 ? 2 : 1);
    by_3.push_back(i % 3 == 0 ? 2 : 1);
  }
  for (const SampleEstimate& ratio : {ratio_of_times(of_run(by_2, 2, 1), of_run(by_3, 3, 1)),
                                      ratio_of_times(of_run(by_3, 3, 1), of_run(by_2, 2, 1))}) {
    CHECK(ratio.has_error());
    CHECK(ratio.standard_error <= rounding_of_sums);
  }
  std::vector<double> one;
  std::vector<double> other;
  for (int i = 0; i < 60; ++i) {
    one.push_back(1 + draw(2 * i));
    other.push_back(1 + draw(2 * i + 1));
  }
  CHECK(ratio_of_times(of_run(one, 1, 1), of_run(other, 1, 20)).degrees_of_freedom == 2);
  CHECK(ratio_of_times(of_run(one, 1, 20), of_run(other, 1, 1)).degrees_of_freedom == 2);
}

TEST_CASE("partial periods are detected for any period but not beyond a hundred periods") {
  CHECK(is_of_partial_periods(9'999, 100));
  CHECK_FALSE(is_of_partial_periods(10'001, 100));
  CHECK_FALSE(is_of_partial_periods(9'900, 100));
  static_assert(is_of_partial_periods(9, std::numeric_limits<std::int64_t>::max()));
}

TEST_CASE("speed-ups of measurements are not paired since measurements have no common draws") {
  std::vector<double> times_s;
  std::vector<double> twice_s;
  for (int i = 0; i < 40; ++i) {
    times_s.push_back(1 + draw(i));
    twice_s.push_back(2 * times_s.back());
  }
  RunResult first;
  first.sampling = sampling_of_run(twice_s);
  first.iteration_time_s.mean = first.sampling.mean_s.value;
  RunResult run;
  run.sampling = sampling_of_run(times_s);
  run.iteration_time_s.mean = run.sampling.mean_s.value;
  const auto width = [&] {
    compare_with_first(first, run);
    CHECK(*run.speedup == about(2));
    return run.speedup_interval_95->greatest - run.speedup_interval_95->least;
  };
  CHECK(width() <= rounding_of_sums);
  run.repetitions = 3;
  CHECK(width() > 0.01);
  run.repetitions.reset();
  first.repetitions = 3;
  CHECK(width() > 0.01);
}

TEST_CASE("a ratio has no error where one of the times has none") {
  const Sampling known = sampling_of_run({1, 2, 3, 4, 5, 6});
  CHECK_FALSE(ratio_of_times(known, {.mean_s = {.value = 2}}).has_error());
  CHECK(ratio_of_times(known, {.mean_s = {.value = 2}}).value == 1.75);
}

}  // namespace
}  // namespace starling
