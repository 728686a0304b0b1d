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

/// A law of positive numbers with mean 1 and a given coefficient of variation (standard deviation over mean).
///
/// normal: truncated at 0, where location and scale of the parent are such that mean and coefficient of
/// variation hold after truncation; lognormal: exp of a normal; gamma: shape 1/c²; weibull: the shape k for
/// which Γ(1+2/k)/Γ(1+1/k)² = 1 + c².
class UnitMeanLaw {
 public:
  /// What a truncated normal reaches: at 1 it would be an exponential.
  static constexpr double largest_normal_variation = 0.95;
  static constexpr double largest_variation = 10;
  /// Below this, the quantile function of a gamma law does not converge.
  static constexpr double smallest_gamma_variation = 0.001;

  /// A coefficient of variation of 0 always gives 1. @throws std::invalid_argument if it is negative, not a
  /// number, or outside what the law allows.
  UnitMeanLaw(Law law, double coefficient_of_variation);

  /// Inverse of the cumulative distribution function, for 0 < probability < 1; of a uniform number it is a
  /// draw.
  double quantile(double probability) const;

 private:
  Law law_;
  bool is_constant_;
  double location_ = 0;  // of the normal, or of the logarithm of the lognormal
  double scale_ = 1;
  double shape_ = 1;
};

}  // namespace starling
