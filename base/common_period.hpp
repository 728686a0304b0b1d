#pragma once

#include <cstdint>
#include <limits>
#include <numeric>

namespace starling {

/// After how many iterations two patterns of so many, 1 or more each, both begin anew; at most half of the
/// greatest number, so that it can be reckoned with.
constexpr std::int64_t common_period(std::int64_t first, std::int64_t other) {
  constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max() / 2;
  const std::int64_t times = first / std::gcd(first, other);
  return times > greatest / other ? greatest : times * other;
}

}  // namespace starling
