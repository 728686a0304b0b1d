#pragma once

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

}  // namespace starling
