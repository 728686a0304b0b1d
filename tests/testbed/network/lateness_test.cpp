#include "testbed/network/lateness.hpp"

#include <doctest/doctest.h>

#include "tests/rounding.hpp"

using namespace starling;

TEST_CASE("Quantiles of lateness are exact to a microsecond, rounded up") {
  Lateness lateness;
  CHECK(lateness.quantile_s(0.99) == 0);
  for (int i = 0; i < 100; ++i) lateness.add((i + 0.5) * 1e-6);
  CHECK(lateness.count() == 100);
  CHECK(lateness.quantile_s(0.5) == about(50e-6, 1e-12));
  CHECK(lateness.quantile_s(0.99) == about(99e-6, 1e-12));
  CHECK(lateness.quantile_s(1) == lateness.max_s());
  CHECK(lateness.max_s() == about(99.5e-6, 1e-12));
}

TEST_CASE("Lateness beyond the greatest bin counts, and early events are not late") {
  Lateness lateness;
  lateness.add(-1);
  lateness.add(3);
  lateness.add(1e30);
  CHECK(lateness.quantile_s(0.3) == about(1e-6, 1e-12));
  CHECK(lateness.quantile_s(0.5) == 1e30);
  CHECK(lateness.max_s() == 1e30);
}
