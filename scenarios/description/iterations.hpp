#pragma once

#include <cstdint>

namespace starling {

/// Iterations of a run by default; also those with which a run begins that goes on until its means are known
/// precisely enough (WantedPrecision).
inline constexpr std::int64_t first_iterations = 100;

/// The greatest number of iterations that any key accepts.
inline constexpr std::int64_t most_iterations = 1'000'000'000;

}  // namespace starling
