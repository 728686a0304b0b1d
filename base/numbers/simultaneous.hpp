#pragma once

#include <cmath>

namespace starling {

/// The relative error of a moment that thousands of additions have led to.
constexpr double rounding_of_moments = 1e-11;

/// For connections that share links: what ends within this share of the present time from now has ended.
constexpr double share_of_present = 0x1p-43;

/// The error of the distance between two moments, as a share of either, where each was rounded once.
constexpr double rounding_of_distances = 4e-16;

/// True if two moments may be in either order after the rounding of thousands of sums.
inline bool are_simultaneous(double one_s, double other_s) {
  return std::abs(one_s - other_s) <= rounding_of_moments * std::abs(one_s);
}

}  // namespace starling
