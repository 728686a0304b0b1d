#include "workloads/imbalance/unit_mean_law.hpp"

#include <algorithm>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <cstdint>

#include "base/errors.hpp"
#include "base/numbers/double_policy.hpp"
#include "base/reject.hpp"

namespace starling {

namespace {

using Normal = boost::math::normal_distribution<double, DoublePolicy>;
using Gamma = boost::math::gamma_distribution<double, DoublePolicy>;

/// The root of a function between low and high, to the last bits of a double.
template <typename Function>
double find_root(Function function, double low, double high) {
  std::uintmax_t evaluations = 200;
  const auto tolerance = boost::math::tools::eps_tolerance<double>(50);
  const auto bracket =
      boost::math::tools::toms748_solve(function, low, high, tolerance, evaluations, DoublePolicy());
  return (bracket.first + bracket.second) / 2;
}

/// The ratio φ(t)/Φ(t). A normal law with mean t and standard deviation 1, truncated at 0, has mean t + ratio
/// and variance 1 − t·ratio − ratio².
double truncation_ratio(double t) { return pdf(Normal(), t) / cdf(Normal(), t); }

double truncated_variation(double t) {
  const double ratio = truncation_ratio(t);
  return std::sqrt(1 - t * ratio - ratio * ratio) / (t + ratio);
}

/// ln(1 + c²) of a Weibull law with shape 1/inverse_shape.
double weibull_log_square(double inverse_shape) {
  const double second = boost::math::tgamma1pm1(2 * inverse_shape, DoublePolicy());
  const double first = boost::math::tgamma1pm1(inverse_shape, DoublePolicy());
  return std::log1p(second) - 2 * std::log1p(first);
}

/// Below this coefficient of variation, no draw differs from 1 as a double.
constexpr double least_variation = 1e-18;

void require_variation(Law law, double variation) {
  const double largest =
      law == Law::normal ? UnitMeanLaw::largest_normal_variation : UnitMeanLaw::largest_variation;
  if (!(variation >= 0 && variation <= largest)) {
    reject("{}: the coefficient of variation is {}; it must be between 0 and {}", name_of(law), variation,
           largest);
  }
  if (law == Law::gamma && variation > 0 && variation < UnitMeanLaw::smallest_gamma_variation) {
    reject("gamma: the coefficient of variation is {}; it must be 0 or at least {}", variation,
           UnitMeanLaw::smallest_gamma_variation);
  }
}

}  // namespace

UnitMeanLaw::UnitMeanLaw(Law law, double coefficient_of_variation)
    : law_(law), is_constant_(coefficient_of_variation < least_variation) {
  require_variation(law, coefficient_of_variation);
  if (is_constant_) return;
  const double square = coefficient_of_variation * coefficient_of_variation;
  switch (law) {
    case Law::normal: {
      const auto excess = [&](double t) { return truncated_variation(t) - coefficient_of_variation; };
      // The variation falls from 1 to 0 as t grows, and is below 1/t.
      const double t = find_root(excess, -20.0, 1 / coefficient_of_variation + 1);
      scale_ = 1 / (t + truncation_ratio(t));
      location_ = t * scale_;
      break;
    }
    case Law::lognormal:
      scale_ = std::sqrt(std::log1p(square));
      location_ = -scale_ * scale_ / 2;
      break;
    case Law::gamma:
      shape_ = 1 / square;
      scale_ = square;
      break;
    case Law::weibull: {
      const auto excess = [&](double inverse_shape) {
        return weibull_log_square(inverse_shape) - std::log1p(square);
      };
      // The variation grows with 1/shape, is 15.8 at 5, and above 1/shape.
      const double inverse_shape = find_root(excess, 0.0, 5.0);
      shape_ = 1 / inverse_shape;
      scale_ = 1 / std::tgamma(1 + inverse_shape);
      break;
    }
  }
}

double UnitMeanLaw::quantile(double probability) const {
  STARLING_INVARIANT(probability > 0 && probability < 1);
  if (is_constant_) return 1;
  switch (law_) {
    case Law::normal: {
      // Computed from the upper tail; the parent's mass above 0 is Φ(location/scale).
      const double above = (1 - probability) * cdf(Normal(), location_ / scale_);
      return std::max(0.0, location_ - scale_ * boost::math::quantile(Normal(), above));
    }
    case Law::lognormal:
      return std::exp(location_ + scale_ * boost::math::quantile(Normal(), probability));
    case Law::gamma:
      return boost::math::quantile(Gamma(shape_, scale_), probability);
    case Law::weibull:
      return scale_ * std::pow(-std::log1p(-probability), 1 / shape_);
  }
  return 1;
}

}  // namespace starling
