#pragma once

#include <cstdint>

namespace starling {

/// The purpose of a random number. Numbers for different purposes are independent.
enum class Purpose : std::uint32_t {
  imbalance = 1,
  initiator = 2,
  graph = 3,
  data = 4,
  initial_parameters = 5,
  // 6 was used by a purpose that was removed. The values must not change: the random numbers depend on them.
  schedule = 7,
  batch = 8,
  data_partition = 9,
  gradient_noise = 10,
  wake_up = 11,
  unevenness = 12,
  placement = 13,
  cables = 14,
  ties = 15,
  ranges = 16,
};

/// A stateless random number generator: the same (seed, purpose, worker, iteration, index) always gives the
/// same number, whatever was drawn before and in whatever order.
///
/// Philox4x32-10 of the Random123 library, keyed by seed and purpose. Reference: Salmon, Moraes, Dror, Shaw,
/// "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
class CounterRandom {
 public:
  CounterRandom(std::uint64_t seed, Purpose purpose);

  /// 64 random bits. worker and index take 32 bits each, iteration 64.
  std::uint64_t bits(std::uint32_t worker, std::uint64_t iteration, std::uint32_t index = 0) const;

  /// Uniform in the open interval (0, 1).
  double uniform(std::uint32_t worker, std::uint64_t iteration, std::uint32_t index = 0) const;

  /// Uniform in 0 … bound−1. bound must be positive.
  std::uint64_t below(std::uint64_t bound, std::uint32_t worker, std::uint64_t iteration,
                      std::uint32_t index = 0) const;

 private:
  std::uint64_t seed_;
  Purpose purpose_;
};

}  // namespace starling
