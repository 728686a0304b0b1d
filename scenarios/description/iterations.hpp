#pragma once

#include <cstdint>

namespace starling {

/// How many a run has if nothing is said, and the first ones of one that ends when enough is known.
inline constexpr std::int64_t first_iterations = 100;

/// How many anything may have.
inline constexpr std::int64_t most_iterations = 1'000'000'000;

}  // namespace starling
