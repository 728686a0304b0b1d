#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

namespace starling {

/// The least common multiple of two periods, each of 1 iteration or more: after so many, two patterns both
/// begin anew. At most half of the greatest number of its type, so that sums of it do not overflow.
constexpr std::int64_t common_period(std::int64_t first, std::int64_t other) {
  constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max() / 2;
  const std::int64_t times = first / std::gcd(first, other);
  return times > greatest / other ? greatest : times * other;
}

/// At least so many iterations that are whole periods, or as many whole ones as are no more than `most`; that
/// itself where it is less than a period.
constexpr std::int64_t whole_periods(std::int64_t least, std::int64_t period, std::int64_t most) {
  if (most < period) return most;
  const std::int64_t periods = least / period + (least % period == 0 ? 0 : 1);
  return std::min(periods, most / period) * period;
}

}  // namespace starling
