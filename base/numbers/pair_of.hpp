#pragma once

#include <cstdint>

namespace starling {

/// An ordered pair of vertices or ranks as one number, unique for each pair.
constexpr std::uint64_t pair_of(int first, int second) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(first)) << 32 |
         static_cast<std::uint32_t>(second);
}

}  // namespace starling
