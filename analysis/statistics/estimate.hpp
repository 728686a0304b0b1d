#pragma once

#include <optional>
#include <span>
#include <vector>

namespace starling {

/// What a sample tells of a mean, or of a ratio of two.
struct SampleEstimate {
  double value = 0;
  double standard_error = 0;  // of the value
  /// Those of the t distribution that the standard error is of; 0 if the sample tells nothing of the error.
  int degrees_of_freedom = 0;

  bool has_error() const { return degrees_of_freedom > 0; }
};

struct Interval {
  double least = 0;
  double greatest = 0;

  bool holds(double value) const { return least <= value && value <= greatest; }
};

/// The arithmetic mean of at least one value.
double plain_mean(std::span<const double> values);

/// The value in the middle; of an even number the mean of both. Of at least one value.
double median_of(std::vector<double> values);

/// The value below which a fraction (0 … 1) of the numbers lies, between two of them interpolated linearly:
/// the k-th of n (from 0) is the quantile k/(n−1). `ascending` must be sorted and not empty. Reference:
/// Hyndman, Fan, "Sample Quantiles in Statistical Packages", The American Statistician 50(4), 1996,
/// definition 7.
double quantile(std::span<const double> ascending, double fraction);

/// The standard deviation of the population, whose mean is given.
double standard_deviation(std::span<const double> values, double mean);

/// n / Σ 1/value, for at least one value; 0 if one of them is 0. Of iteration times it is the time that
/// belongs to the mean of the rates.
double harmonic_mean(std::span<const double> values);

/// The standard error of what is added up from values of that mean; 0 where it is but rounding, which is no
/// error of sampling: differences between points in time are known to about 1e-9 of their mean.
double error_beyond_rounding(double error, double mean);

/// The mean of independent values.
SampleEstimate estimate_mean(std::span<const double> values);

/// The mean of the numerators over that of the denominators, which belong together in pairs: what both have
/// in common adds nothing to the error. As many of both, no mean of denominators 0. Reference: Cochran,
/// "Sampling Techniques", 3rd ed., section 6.4 (the ratio estimator, to the first order).
SampleEstimate estimate_ratio(std::span<const double> numerators, std::span<const double> denominators);

/// The same of two estimates that know nothing of each other; the denominator is not 0. The degrees of
/// freedom are the fewer ones of the two.
SampleEstimate estimate_ratio(const SampleEstimate& numerator, const SampleEstimate& denominator);

/// Where the true value lies with that confidence (0 … 1, exclusive), by Student's t distribution. The
/// estimate must have an error.
Interval confidence_interval(const SampleEstimate& estimate, double confidence);

/// The interval at 95 %; absent if the estimate has no error.
std::optional<Interval> interval_95(const SampleEstimate& estimate);

/// How far the interval at 95 % reaches to either side; 0 if the estimate has no error.
double half_width_95(const SampleEstimate& estimate);

/// How far an interval around that mean reaches to either side: half of it, unless it was cut off at 0.
double half_width(const Interval& interval, double mean);

/// The degrees of freedom, of 1000 at most, of an estimate whose interval at 95 % reaches so many standard
/// errors to either side.
int degrees_of_reach_95(double standard_errors);

/// An interval of what cannot be negative: a time, a rate, or a ratio of two of them. Ends at 0 at the least.
Interval not_below_0(const Interval& interval);
/// Likewise at 95 %.
std::optional<Interval> interval_95_not_below_0(const SampleEstimate& estimate);

}  // namespace starling
