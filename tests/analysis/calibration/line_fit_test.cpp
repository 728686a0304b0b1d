#include "analysis/calibration/line_fit.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sim/strands/address_sanitizer.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

constexpr double line_start_s = 80e-6;
constexpr double s_per_byte = 4.2e-8;  // 23.8 MB/s

/// One time for each of 8 B, 16 B, … 8 MiB, on the line of the constants above, with normal noise of the
/// relative standard deviation `noise`.
std::vector<SizedTime> line(double noise, std::mt19937& random) {
  std::normal_distribution<double> deviation;
  std::vector<SizedTime> times;
  for (double size = 8; size <= 8 << 20; size *= 2)
    times.push_back(mean_time(size, {(line_start_s + s_per_byte * size) * (1 + noise * deviation(random))}));
  return times;
}

std::vector<SizedTime> measured_once(const std::vector<std::pair<double, double>>& sizes_and_times) {
  std::vector<SizedTime> times;
  for (const auto& [size, seconds] : sizes_and_times) times.push_back(mean_time(size, {seconds}));
  return times;
}

bool covers(const SampleEstimate& estimate, double truth) {
  return std::abs(estimate.value - truth) <= half_width_95(estimate);
}

TEST_CASE("A line without noise is found exactly, and one line is enough") {
  std::mt19937 random(1);
  const auto times = line(0, random);
  const LineFit fit = fit_line(times);
  CHECK(fit.start_s.value == about(line_start_s, 1e-9));
  CHECK(fit.s_per_unit.value == about(s_per_byte, 1e-9));
  CHECK(half_width_95(fit.start_s) < 1e-12);
  CHECK(fit.least == 8);
  CHECK(fit.greatest == 8 << 20);
  CHECK(fit_pieces(times).size() == 1);
}

TEST_CASE("Weights are inverse squares of fitted times, so that deviations up and down count the same") {
  // A line passes through the means at its two sizes, 2 and 3 s, only if both times of each weigh the same.
  const LineFit fit = fit_line(measured_once({{1, 1.9}, {1, 2.1}, {2, 2.8}, {2, 3.2}}));
  CHECK(fit.start_s.value == about(1));
  CHECK(fit.s_per_unit.value == about(1));
  // Relative residuals are twice 1/20 and twice 1/15, with 4 − 2 degrees of freedom: √((2/400 + 2/225)/2).
  CHECK(fit.relative_deviation == about(1.0 / 12));
}

TEST_CASE("Intervals of 95 % cover the truth in 95 % of cases") {
  // The number of covered trials is binomial: four standard deviations, relative to its mean, are 4 √(0.05 /
  // 0.95 / trials), which is 2 % for 2000 trials and 6.5 % for 200.
  constexpr int trials = has_address_sanitizer ? 200 : 2000;
  const double four_deviations = 4 * std::sqrt(0.05 / 0.95 / trials);
  std::mt19937 random(2);
  int start_covered = 0;
  int slope_covered = 0;
  int broken = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const auto times = line(0.02, random);
    const LineFit fit = fit_line(times);
    start_covered += covers(fit.start_s, line_start_s);
    slope_covered += covers(fit.s_per_unit, s_per_byte);
    broken += fit_pieces(times).size() > 1;
  }
  CHECK(start_covered == about(0.95 * trials, four_deviations));
  CHECK(slope_covered == about(0.95 * trials, four_deviations));
  // The test for a break has a significance level of 1 % over all possible places; four standard deviations
  // more.
  CHECK(broken <= 0.01 * trials + 4 * std::sqrt(0.01 * 0.99 * trials));
}

/// By how much the time of one message deviates from the line.
struct MessageNoise {
  double wake_up_s = 0;  // mean of the exponential delay after which a message is noticed, in each direction
  double share = 0;      // standard deviation of a normal relative error
};

/// Mean one-way times as `calibrate` measures them: for each size as many round trips as fit into 0.2 s, at
/// least 5 and at most 200.
std::vector<SizedTime> calibration_means(const MessageNoise& noise, std::mt19937& random) {
  std::normal_distribution<double> deviation;
  std::exponential_distribution<double> late(noise.wake_up_s > 0 ? 1 / noise.wake_up_s : 1e30);
  std::vector<SizedTime> times;
  for (double size = 8; size <= 8 << 20; size *= 2) {
    const double time_s = line_start_s + s_per_byte * size;
    std::vector<double> repeated_s(static_cast<std::size_t>(std::clamp(0.1 / time_s, 5.0, 200.0)));
    for (double& one_s : repeated_s)
      one_s = (time_s + (late(random) + late(random)) / 2) * (1 + noise.share * deviation(random));
    times.push_back(mean_time(size, repeated_s));
  }
  return times;
}

TEST_CASE(
    "95 % intervals cover the truth where sizes are measured 5 to 200 times, whatever the noise of "
    "messages") {
  // Four standard deviations of the binomial count, relative to its mean, as above.
  constexpr int trials = has_address_sanitizer ? 100 : 1000;
  const double four_deviations = 4 * std::sqrt(0.05 / 0.95 / trials);
  std::mt19937 random(4);
  for (const MessageNoise noise : {MessageNoise{.wake_up_s = 0, .share = 0.03},
                                   {.wake_up_s = 60e-6, .share = 0},
                                   {.wake_up_s = 60e-6, .share = 0.01},
                                   {.wake_up_s = 5e-6, .share = 0.01}}) {
    CAPTURE(noise.wake_up_s);
    CAPTURE(noise.share);
    int start_covered = 0;
    int slope_covered = 0;
    int broken = 0;
    for (int trial = 0; trial < trials; ++trial) {
      const std::vector<LineFit> fits = fit_pieces(calibration_means(noise, random));
      start_covered += covers(fits.front().start_s, line_start_s + noise.wake_up_s);
      slope_covered += covers(fits.back().s_per_unit, s_per_byte);
      broken += fits.size() > 1;
    }
    CHECK(start_covered >= 0.95 * trials * (1 - four_deviations));
    CHECK(slope_covered >= 0.95 * trials * (1 - four_deviations));
    // The level of 1 % holds for known variances; with estimated ones 3 % are allowed, and four standard
    // deviations more.
    CHECK(broken <= 0.03 * trials + 4 * std::sqrt(0.03 * 0.97 * trials));
  }
}

TEST_CASE("Where the slope changes, two lines are fitted that meet at the change") {
  std::mt19937 random(3);
  auto times = line(0.01, random);
  for (SizedTime& one : times)
    if (one.size > 65536) one.seconds = one.seconds * 0.5 + 2e-3;
  const auto pieces = fit_pieces(times);
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0].greatest == 65536);
  CHECK(pieces[1].least == 131072);
  CHECK(covers(pieces[1].s_per_unit, s_per_byte / 2));
  CHECK(covers(pieces[0].start_s, line_start_s));
}

TEST_CASE("A fit of fewer than three times or of a single size or of a time of 0 is refused") {
  CHECK_THROWS_AS(fit_line(measured_once({{1, 1}, {2, 2}})), std::invalid_argument);
  CHECK_THROWS_AS(fit_line(measured_once({{1, 1}, {1, 2}, {1, 3}})), std::invalid_argument);
  CHECK_THROWS_AS(fit_line(measured_once({{1, 1}, {2, 0}, {3, 3}})), std::invalid_argument);
}

}  // namespace
}  // namespace starling
