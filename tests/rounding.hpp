#pragma once

#include <doctest/doctest.h>

namespace starling {

/// By how much of themselves a few operations on doubles may be off, and sums of thousands of them.
constexpr double rounding = 1e-12;
constexpr double rounding_of_sums = 1e-9;

/// Equal but for that share of it.
inline doctest::Approx about(double value, double share = rounding) {
  return doctest::Approx(value).epsilon(share).scale(0);
}

}  // namespace starling
