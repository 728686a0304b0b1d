#include "analysis/statistics/conformal.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>

#include "tests/rounding.hpp"

namespace starling {
namespace {

TEST_CASE("conformal: the 90 % factor of nine errors is the greatest, and eight errors are too few") {
  PredictionErrors errors;
  for (int i = 1; i <= 8; ++i) errors.add("known", 1 + 0.01 * i, 1);
  CHECK_FALSE(errors.factor());
  errors.add("known", 1, 1.5);  // too low counts as much as too high
  CHECK(*errors.factor() == about(1.5));
  CHECK(errors.interval_of("unknown", 3)->greatest == about(4.5));
}

TEST_CASE("conformal: the interval of a task uses only the errors of other tasks") {
  PredictionErrors errors;
  for (int i = 0; i < 9; ++i) errors.add("quiet", 1.1, 1);
  for (int i = 0; i < 9; ++i) errors.add("loud", 7, 1);
  CHECK(errors.interval_of("loud", 2.2)->least == about(2));
  CHECK(errors.interval_of("quiet", 2)->greatest == about(14));
  CHECK(*errors.factor() == about(7));
  CHECK(errors.interval_of(2)->greatest == about(14));
}

TEST_CASE("conformal: nine of ten new predictions are inside their intervals") {
  constexpr int known = 1000;
  constexpr int unknown = 10'000;
  std::mt19937 random(1);
  std::normal_distribution<double> error(0, 0.2);
  PredictionErrors errors;
  for (int i = 0; i < known; ++i) errors.add(std::to_string(i), std::exp(error(random)), 1);
  const double factor = *errors.factor();
  int inside = 0;
  for (int i = 0; i < unknown; ++i) inside += std::abs(error(random)) <= std::log(factor) ? 1 : 0;
  // The coverage of the quantile of 1,000 errors has a standard error of 0.95 %: the tolerance is 3.3 of
  // these.
  CHECK(inside == about(9000, 0.035));
}

}  // namespace
}  // namespace starling
