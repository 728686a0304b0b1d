#pragma once

#include <cstdint>

#include "sim/random.hpp"

namespace starling {

/// A standard normal draw (mean 0, standard deviation 1): one counter-based random number, through the
/// quantile function.
double normal_draw(const CounterRandom& random, std::uint32_t worker, std::uint64_t iteration,
                   std::uint32_t index = 0);

}  // namespace starling
