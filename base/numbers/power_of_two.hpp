#pragma once

#include <bit>

namespace starling {

constexpr bool is_power_of_two(int number) {
  return number > 0 && std::has_single_bit(static_cast<unsigned>(number));
}

/// log₂ of a power of two.
constexpr int log2_of(int power) { return std::countr_zero(static_cast<unsigned>(power)); }

/// ⌈log₂ number⌉ of a positive number: the rounds of doubling needed to reach that many ranks.
constexpr int ceil_log2(int number) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(number - 1)));
}

}  // namespace starling
