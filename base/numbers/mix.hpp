#pragma once

#include <cstdint>

namespace starling {

/// A bijective mixing function on 64 bits: every output bit depends on every input bit, and 0 is mapped to 0.
/// Reference: the finalizer of SplitMix64; Steele, Lea, Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014.
constexpr std::uint64_t mix(std::uint64_t bits) {
  bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ bits >> 27) * 0x94D049BB133111EBU;
  return bits ^ bits >> 31;
}

}  // namespace starling
