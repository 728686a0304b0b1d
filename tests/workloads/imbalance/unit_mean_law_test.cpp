#include "workloads/imbalance/unit_mean_law.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "tests/rounding.hpp"

namespace starling {
namespace {

constexpr Law all_laws[] = {Law::normal, Law::lognormal, Law::gamma, Law::weibull};

TEST_CASE("a unit-mean law has mean 1 and the given coefficient of variation") {
  for (const Law law : all_laws) {
    for (const double variation : {0.001, 0.1, 0.3, 0.6, 0.9}) {
      CAPTURE(name_of(law));
      CAPTURE(variation);
      const UnitMeanLaw unit(law, variation);
      // The midpoint rule over the quantile function; what it misses is the tail beyond the last point, less
      // than 10⁻⁴ of the mean and 10⁻³ of the variation for these laws (the lognormal at 0.9 misses most).
      const int points = 100'000;
      double sum = 0;
      double squares = 0;
      for (int i = 0; i < points; ++i) {
        const double value = unit.quantile((i + 0.5) / points);
        sum += value;
        squares += (value - 1) * (value - 1);
      }
      CHECK(sum / points == about(1, 1e-4));
      CHECK(std::sqrt(squares / points) == about(variation, 1e-3));
    }
  }
}

TEST_CASE("quantiles of a unit-mean law are positive and grow") {
  for (const Law law : all_laws) {
    CAPTURE(name_of(law));
    const UnitMeanLaw unit(law, 0.9);
    double previous = unit.quantile(0x1p-53);
    CHECK(previous >= 0);
    for (const double probability : {1e-9, 1e-3, 0.1, 0.5, 0.9, 0.999, 1 - 1e-9, 1 - 0x1p-53}) {
      const double value = unit.quantile(probability);
      CHECK(value > previous);
      previous = value;
    }
    CHECK(std::isfinite(previous));
  }
}

TEST_CASE("unit-mean laws meet their textbook medians") {
  // exp(−s²/2) with s² = ln 2; an exponential, which is a gamma and a Weibull law with variation 1.
  CHECK(UnitMeanLaw(Law::lognormal, 1).quantile(0.5) == about(1 / std::sqrt(2.0), 1e-12));
  CHECK(UnitMeanLaw(Law::gamma, 1).quantile(0.5) == about(std::log(2.0), 1e-12));
  CHECK(UnitMeanLaw(Law::weibull, 1).quantile(0.5) == about(std::log(2.0), 1e-12));
  // At 0.1 truncation at 0 cuts off 10⁻²³ of a normal law.
  CHECK(UnitMeanLaw(Law::normal, 0.1).quantile(0.5) == about(1, 1e-12));
  CHECK(UnitMeanLaw(Law::normal, 0.1).quantile(0.8413447460685429) == about(1.1, 1e-12));
}

TEST_CASE("without variation every law is constant") {
  for (const Law law : all_laws) CHECK(UnitMeanLaw(law, 0).quantile(0.99) == 1);
}

TEST_CASE("coefficients of variation too small for a double count as 0") {
  for (const Law law : {Law::normal, Law::lognormal, Law::weibull})
    for (const double variation : {std::numeric_limits<double>::denorm_min(), 1e-300, 1e-19}) {
      CAPTURE(name_of(law));
      CAPTURE(variation);
      const UnitMeanLaw unit(law, variation);
      for (const double probability : {0x1p-53, 0.5, 1 - 0x1p-53}) CHECK(unit.quantile(probability) == 1);
    }
}

TEST_CASE("a coefficient of variation out of range is rejected") {
  CHECK_THROWS_WITH_AS(UnitMeanLaw(Law::lognormal, -0.1),
                       "lognormal: the coefficient of variation is -0.1; it must be between 0 and 10",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(UnitMeanLaw(Law::weibull, std::numeric_limits<double>::quiet_NaN()),
                       "weibull: the coefficient of variation is nan; it must be between 0 and 10",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(UnitMeanLaw(Law::normal, 1),
                       "normal: the coefficient of variation is 1; it must be between 0 and 0.95",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(UnitMeanLaw(Law::gamma, 1e-4),
                       "gamma: the coefficient of variation is 0.0001; it must be 0 or at least 0.001",
                       std::invalid_argument);
}

}  // namespace
}  // namespace starling
