#pragma once

#include <bit>

namespace starling {

/// ⌈log₂ number⌉ of a positive number: the rounds of doubling that reach so many ranks.
constexpr int ceil_log2(int number) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(number - 1)));
}

}  // namespace starling
