#include "sim/random.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <set>

#include "base/errors.hpp"

namespace starling {
namespace {

/// A seed from which CounterRandom makes the key {low, high}: it mixes the purpose into the upper half.
std::uint64_t seed_for_key(std::uint32_t low, std::uint32_t high, Purpose purpose) {
  return (static_cast<std::uint64_t>(high ^ static_cast<std::uint32_t>(purpose)) << 32) | low;
}

TEST_CASE("counter random numbers are Philox4x32-10, by the known answers of Random123") {
  const Purpose purpose = Purpose::graph;
  const CounterRandom zeros(seed_for_key(0, 0, purpose), purpose);
  CHECK(zeros.bits(0, 0, 0) == 0xe169c58d'6627e8d5);

  const CounterRandom ones(seed_for_key(0xffffffff, 0xffffffff, purpose), purpose);
  CHECK(ones.bits(0xffffffff, 0xffffffff'ffffffff, 0xffffffff) == 0x41c83b0e'408f276d);

  const CounterRandom digits_of_pi(seed_for_key(0xa4093822, 0x299f31d0, purpose), purpose);
  CHECK(digits_of_pi.bits(0x13198a2e, 0x85a308d3'243f6a88, 0x03707344) == 0x94fdcceb'd16cfe09);
}

TEST_CASE("every part of a random number's key changes it") {
  const CounterRandom random(1, Purpose::imbalance);
  const std::set<std::uint64_t> numbers = {
      random.bits(2, 3, 4),
      random.bits(5, 3, 4),
      random.bits(2, 6, 4),
      random.bits(2, 3, 7),
      random.bits(2, 3ULL << 32, 4),
      CounterRandom(8, Purpose::imbalance).bits(2, 3, 4),
      CounterRandom(1ULL << 32, Purpose::imbalance).bits(2, 3, 4),
      CounterRandom(1, Purpose::data).bits(2, 3, 4),
  };
  CHECK(numbers.size() == 8);
}

TEST_CASE("a random number does not depend on what was drawn before") {
  const CounterRandom random(7, Purpose::data);
  const std::uint64_t first = random.bits(1, 2, 3);
  for (std::uint32_t worker = 0; worker < 10; ++worker) random.bits(worker, 0);
  CHECK(random.bits(1, 2, 3) == first);
  CHECK(CounterRandom(7, Purpose::data).bits(1, 2, 3) == first);
}

TEST_CASE("uniform numbers lie inside (0, 1) and have the mean and variance of the uniform law") {
  const CounterRandom random(11, Purpose::imbalance);
  const int count = 100'000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < count; ++i) {
    const double value =
        random.uniform(static_cast<std::uint32_t>(i % 64), static_cast<std::uint64_t>(i / 64));
    REQUIRE(value > 0.0);
    REQUIRE(value < 1.0);
    sum += value;
    squares += (value - 0.5) * (value - 0.5);
  }
  // Five standard errors: the variance is 1/12, that of (u − 1/2)² is 1/80 − 1/144 = 1/180.
  CHECK(std::abs(sum / count - 0.5) < 5 * std::sqrt(1.0 / 12 / count));
  CHECK(std::abs(squares / count - 1.0 / 12) < 5 * std::sqrt(1.0 / 180 / count));
}

TEST_CASE("numbers below a bound hit every value equally often") {
  const CounterRandom random(13, Purpose::initiator);
  const int bound = 7;
  const int count = 70'000;
  int hits[bound] = {};
  for (int i = 0; i < count; ++i) {
    const std::uint64_t value = random.below(bound, 0, static_cast<std::uint64_t>(i));
    REQUIRE(value < bound);
    ++hits[value];
  }
  // Five standard errors of a binomial count.
  const double share = 1.0 / bound;
  for (const int hit : hits)
    CHECK(std::abs(hit - count * share) < 5 * std::sqrt(count * share * (1 - share)));
}

TEST_CASE("below 1 there is only 0, and below 0 there is nothing") {
  const CounterRandom random(17, Purpose::schedule);
  CHECK(random.below(1, 2, 3) == 0);
  CHECK_THROWS_AS(random.below(0, 2, 3), InvariantError);
}

}  // namespace
}  // namespace starling
