#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace starling {

enum class Law { normal, lognormal, gamma, weibull };

/// The law's name in scenarios.
constexpr std::string_view name_of(Law law) {
  constexpr std::array<std::string_view, 4> names = {"normal", "lognormal", "gamma", "weibull"};
  return names[static_cast<std::size_t>(law)];
}

/// A probability law of non-negative numbers with mean 1 and a given coefficient of variation c (standard
/// deviation over mean).
///
/// - normal: truncated at 0, where location and scale of the parent are such that mean and c hold after
///   truncation;
/// - lognormal: the exponential of a normal law;
/// - gamma: with shape 1/c²;
/// - weibull: with the shape k for which Γ(1+2/k)/Γ(1+1/k)² = 1 + c².
class UnitMeanLaw {
 public:
  /// The largest c of a truncated normal law, which tends to an exponential law, with c = 1.
  static constexpr double largest_normal_variation = 0.95;
  static constexpr double largest_variation = 10;
  /// Below this c, the quantile function of a gamma law does not converge.
  static constexpr double smallest_gamma_variation = 0.001;

  /// With a coefficient of variation of 0 all values are 1. @throws std::invalid_argument if it is negative,
  /// not a number, or outside the range of the law.
  UnitMeanLaw(Law law, double coefficient_of_variation);

  /// The inverse of the cumulative distribution function, for 0 < probability < 1. Applied to a uniform
  /// random number it gives a draw.
  double quantile(double probability) const;

 private:
  Law law_;
  bool is_constant_;
  double location_ = 0;  // of the parent normal, or of the logarithm of the lognormal
  double scale_ = 1;
  double shape_ = 1;
};

}  // namespace starling
