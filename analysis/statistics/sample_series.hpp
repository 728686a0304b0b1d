#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analysis/statistics/estimate.hpp"

namespace starling {

/// The values of a run in order, or of several runs.
struct SampleSeries {
  std::vector<double> values = {};
  std::size_t period = 1;  // after which a pattern of the values repeats
  /// Means of stretches of so many values are nearly independent, as far as is known without looking at the
  /// values.
  std::size_t least_length = 1;
  std::size_t iterations = 1;  // that each value is the mean of
  /// The values are independent, as those of runs with other seeds are.
  bool are_independent = false;

  /// Values at the same position in both are of the same iterations, or of runs with the same seed.
  bool are_paired_with(const SampleSeries& other) const {
    return values.size() == other.values.size() && !values.empty() && iterations == other.iterations &&
           are_independent == other.are_independent;
  }
};

/// An empty series for values computed from those of two paired series, such as their differences: its
/// patterns are those of both.
SampleSeries series_of_both(const SampleSeries& first, const SampleSeries& other);

/// The same series as means of consecutive whole periods, at most `most_values` of them; values left over at
/// the end are dropped. Unchanged if it is short enough.
SampleSeries condensed(SampleSeries series, std::size_t most_values);

/// The shortest stretch of whole periods that has at least `least_length` values.
std::size_t whole_length(std::size_t period, std::size_t least_length);

/// The fewest values from which a standard error is estimated: three stretches of whole periods, each of
/// `least_length` values at least.
std::size_t least_series(std::size_t period, std::size_t least_length);

/// How long stretches of a series must be for their means to be nearly independent, by its values: six times
/// its integrated autocorrelation time, so that the variance of such a mean is a twelfth too small at most.
/// 1 if neighbors correlate no more than by chance, and at most a third of the series. In whole periods; a
/// pattern that repeats with them is no correlation. O(n), and a few million operations at most.
/// Reference: Sokal, "Monte Carlo methods in statistical mechanics", in Functional Integration, 1997, section
/// 3 (the window is five times the time that it gives).
std::size_t decorrelation_length(std::span<const double> values, std::size_t period = 1);

/// The mean of a series, with a standard error that allows for correlation between its values; without an
/// error below least_series() values. An error that is rounding only is 0, see error_beyond_rounding().
///
/// The error of a time series is that of the equal-weighted cosine estimator (EWC): with y₁ … yₘ the means of
/// its periods, Λⱼ = √(2/m) Σₖ yₖ cos(πj(k − ½)/m) and ν cosines, it is √(Σⱼ Λⱼ²/(νm)), and the deviation of
/// the mean over its error follows Student's t distribution with ν degrees of freedom. ν is 0.4 m^⅔ as in the
/// reference, but 4 at the least and 8 at the most, and less where values correlate: one less than there are
/// stretches of decorrelation_length() and `least_length`. All m − 1 cosines give the error of independent
/// values.
/// Reference: Lazarus, Lewis, Stock, Watson, "HAR Inference: Recommendations for Practice", Journal of
/// Business & Economic Statistics 36(4), 2018.
SampleEstimate mean_of_series(const SampleSeries& series);

}  // namespace starling
