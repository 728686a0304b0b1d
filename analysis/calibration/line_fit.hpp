#pragma once

#include <span>
#include <vector>

#include "analysis/statistics/estimate.hpp"

namespace starling {

/// The time measured for a size.
struct SizedTime {
  double size = 0;
  double seconds = 0;  // once, or the average of repetitions
  int repetitions = 1;
  /// The square of the standard error of that average, times the number of repetitions.
  double variance_of_one_s2 = 0;
};

/// The mean of repetitions, of which there must be at least one.
SizedTime mean_time(double size, const std::vector<double>& seconds);

/// The median of repetitions. Its error is that of a normal distribution whose standard deviation is found
/// from the median absolute deviation, so that a few late repetitions do not count.
SizedTime median_time(double size, const std::vector<double>& seconds);

/// seconds = start_s + s_per_unit · size for sizes from `least` to `greatest`.
struct LineFit {
  SampleEstimate start_s;
  SampleEstimate s_per_unit;
  double least = 0;
  double greatest = 0;
  /// The relative deviation of measurements from the line: the root of the sum of squares over the degrees of
  /// freedom.
  double relative_deviation = 0;
};

/// The line through measurements with independent errors, by weighted least squares.
///
/// The variance of a time of t seconds and n repetitions is (a² + b²·t²)/n + c²·t²: a and b are the variation
/// between repetitions, which are noticed late, or take a random share longer; c is the share by which sizes
/// deviate from a line however often they are measured. a and b are estimated from the repetitions of all
/// sizes (weighted least squares, neither negative), c from the deviations from the line beyond that (Paule
/// and Mandel). Standard errors follow from the deviations themselves, so that they hold for other variances,
/// too (HC2), with the degrees of freedom of Bell and McCaffrey, rounded down.
/// References: Paule, Mandel, "Consensus values and weighting factors", Journal of Research of the NBS 87(5),
/// 1982; Imbens, Kolesár, "Robust standard errors in small samples: some practical advice", Review of
/// Economics and Statistics 98(4), 2016.
/// @throws std::invalid_argument for fewer than three measurements, equal sizes only, or times that are not
/// positive.
LineFit fit_line(std::span<const SizedTime> measurements);

/// One line, or two, which need not meet, where one does not fit. There are two if the deviations from one
/// line are larger than those of repetitions explain, and two lines lower the weighted sum of squares by more
/// than chance would in 1 % of cases (F test at each place of a break, with Bonferroni's bound; each line has
/// at least four measurements, and the break is where the sum is least). As variances are estimated from the
/// same measurements, a needless break occurs in up to 3 % of simulated calibrations. Sizes must ascend.
/// O(n²).
std::vector<LineFit> fit_pieces(std::span<const SizedTime> measurements);

}  // namespace starling
