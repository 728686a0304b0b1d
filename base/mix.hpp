#pragma once

#include <cstdint>

namespace starling {

/// Spreads 64 bits over 64 bits, one to one: every output bit depends on every input bit.
/// Reference: the finalizer of SplitMix64; Steele, Lea, Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014.
constexpr std::uint64_t mix(std::uint64_t bits) {
  bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ bits >> 27) * 0x94D049BB133111EBU;
  return bits ^ bits >> 31;
}

/// Two vertices as one number.
constexpr std::uint64_t pair_of(int first, int second) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(first)) << 32 |
         static_cast<std::uint32_t>(second);
}

}  // namespace starling
