#pragma once

#include "base/options/range.hpp"

namespace starling {

/// What options of tasks, data and partitions have in common.
inline constexpr IntegerRange count_range{.least = 1, .greatest = 1 << 24};
inline constexpr IntegerRange width_range{.least = 1, .greatest = 1 << 16};
inline constexpr Range magnitude_range{.least = 0, .greatest = 1e6};

/// The most floats that anything may be kept as: a gigabyte.
inline constexpr double most_floats = 0x1p28;

}  // namespace starling
