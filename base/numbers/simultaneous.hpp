#pragma once

#include <cmath>

namespace starling {

/// The relative error of a time that results from thousands of additions.
constexpr double rounding_of_moments = 1e-11;

/// For connections that share links: a transfer that would end within this share of the current time from now
/// counts as ended.
constexpr double share_of_present = 0x1p-43;

/// The error of the difference of two times, as a share of either, if each was rounded once.
constexpr double rounding_of_distances = 4e-16;

/// Whether two times are equal within the rounding error of thousands of additions, so that their order means
/// nothing.
inline bool are_simultaneous(double one_s, double other_s) {
  return std::abs(one_s - other_s) <= rounding_of_moments * std::abs(one_s);
}

}  // namespace starling
