#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace starling {

/// Relative errors of a few operations on doubles (`rounding`), and of sums of thousands
/// (`rounding_of_sums`).
constexpr double rounding = 1e-12;
constexpr double rounding_of_sums = 1e-9;

/// A value to compare with, up to a relative error; only 0 equals 0. Approx is given a scale next to 0, as
/// doctest asks for a difference less than the tolerance; with its default scale it would allow a share of 1,
/// whatever the value is.
inline doctest::Approx about(double value, double share = rounding) {
  return doctest::Approx(value).epsilon(share).scale(std::numeric_limits<double>::min());
}

/// The greater of two errors; infinity if the new one is not a number, so that NaN fails a check.
inline double greater_error(double worst, double error) {
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(worst, error);
}

}  // namespace starling
