#include "sim/random.hpp"

#include <Random123/philox.h>

#include "base/errors.hpp"

namespace starling {

namespace {

std::uint32_t low_word(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
std::uint32_t high_word(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }

}  // namespace

CounterRandom::CounterRandom(std::uint64_t seed, Purpose purpose) : seed_(seed), purpose_(purpose) {}

std::uint64_t CounterRandom::bits(std::uint32_t worker, std::uint64_t iteration, std::uint32_t index) const {
  const r123::Philox4x32::ctr_type counter = {{low_word(iteration), high_word(iteration), worker, index}};
  // The purpose goes into the upper half of the key, so that no two seeds below 2³² ever share a key.
  const r123::Philox4x32::key_type key = {
      {low_word(seed_), high_word(seed_) ^ static_cast<std::uint32_t>(purpose_)}};
  const r123::Philox4x32::ctr_type output = r123::Philox4x32()(counter, key);
  return (static_cast<std::uint64_t>(output[1]) << 32) | output[0];
}

double CounterRandom::uniform(std::uint32_t worker, std::uint64_t iteration, std::uint32_t index) const {
  // Uses 52 bits plus half a unit: with 53 bits, the largest number would round to 1.
  return (static_cast<double>(bits(worker, iteration, index) >> 12) + 0.5) * 0x1p-52;
}

std::uint64_t CounterRandom::below(std::uint64_t bound, std::uint32_t worker, std::uint64_t iteration,
                                   std::uint32_t index) const {
  STARLING_INVARIANT(bound > 0);
  // The high half of a 128-bit product. The bias is at most bound / 2⁶⁴ per number, too small to be
  // observed.
  __extension__ using Product = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Product>(bits(worker, iteration, index)) * bound) >> 64);
}

}  // namespace starling
