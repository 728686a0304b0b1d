#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace starling {

/// By how much of themselves a few operations on doubles may be off, and sums of thousands of them.
constexpr double rounding = 1e-12;
constexpr double rounding_of_sums = 1e-9;

/// Equal but for that share of it; 0 only to 0, which takes some scale, as doctest wants less, not as much.
/// Without a scale of its own Approx would allow a share of 1, whatever the value is.
inline doctest::Approx about(double value, double share = rounding) {
  return doctest::Approx(value).epsilon(share).scale(std::numeric_limits<double>::min());
}

/// The greater; infinity if the new one is not a number.
inline double greater_error(double worst, double error) {
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(worst, error);
}

}  // namespace starling
