#pragma once

#include <cmath>

namespace starling {

/// How much of itself a moment may be off after thousands of sums.
constexpr double rounding_of_moments = 1e-11;

/// True if two moments may be in either order after the rounding of thousands of sums.
inline bool are_simultaneous(double one_s, double other_s) {
  return std::abs(one_s - other_s) <= rounding_of_moments * std::abs(one_s);
}

}  // namespace starling
