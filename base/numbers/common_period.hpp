#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

namespace starling {

/// The least common multiple of two periods of at least 1 iteration, after which both patterns start again.
/// Capped at half of the greatest number of the type, so that sums of two do not overflow.
constexpr std::int64_t common_period(std::int64_t first, std::int64_t other) {
  constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max() / 2;
  const std::int64_t times = first / std::gcd(first, other);
  return times > greatest / other ? greatest : times * other;
}

/// The smallest multiple of `period` that is at least `least`, but at most the largest multiple up to `most`;
/// `most` itself if it is less than a period.
constexpr std::int64_t whole_periods(std::int64_t least, std::int64_t period, std::int64_t most) {
  if (most < period) return most;
  const std::int64_t periods = least / period + (least % period == 0 ? 0 : 1);
  return std::min(periods, most / period) * period;
}

}  // namespace starling
