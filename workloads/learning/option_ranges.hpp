#pragma once

#include "base/options/range.hpp"

namespace starling {

/// Ranges that options of tasks, data and partitions share.
inline constexpr IntegerRange count_range{.least = 1, .greatest = 1 << 24};
inline constexpr IntegerRange width_range{.least = 1, .greatest = 1 << 16};
inline constexpr Range magnitude_range{.least = 0, .greatest = 1e6};

/// The most floats in one array: a gibibyte.
inline constexpr double most_floats = 0x1p28;

}  // namespace starling
