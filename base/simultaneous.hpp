#pragma once

#include <cmath>

namespace starling {

/// How much of itself a moment may be off after thousands of sums.
constexpr double rounding_of_moments = 1e-11;

/// How much of the present a moment is for connections that share links: what ends meanwhile has ended.
constexpr double share_of_present = 0x1p-43;

/// How much of a moment its distance from another may be off by one rounding of each.
constexpr double rounding_of_distances = 4e-16;

/// True if two moments may be in either order after the rounding of thousands of sums.
inline bool are_simultaneous(double one_s, double other_s) {
  return std::abs(one_s - other_s) <= rounding_of_moments * std::abs(one_s);
}

}  // namespace starling
