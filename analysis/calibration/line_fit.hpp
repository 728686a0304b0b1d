#pragma once

#include <span>
#include <vector>

#include "analysis/statistics/estimate.hpp"

namespace starling {

/// How long something takes that is `size` large.
struct SizedTime {
  double size = 0;
  double seconds = 0;  // once, or the average of repetitions
  int repetitions = 1;
  /// The square of the standard error of that average, times the number of repetitions.
  double variance_of_one_s2 = 0;
};

/// The mean of repetitions, one at least.
SizedTime mean_time(double size, const std::vector<double>& seconds);

/// Their median. Its error is that of a normal distribution, whose deviation is found from the median of the
/// deviations from the median: a few repetitions that are late do not count.
SizedTime median_time(double size, const std::vector<double>& seconds);

/// seconds = start_s + s_per_unit · size for sizes from `least` to `greatest`.
struct LineFit {
  SampleEstimate start_s;
  SampleEstimate s_per_unit;
  double least = 0;
  double greatest = 0;
  /// Of the measurements around the line, relative to it: root of the sum of squares over the degrees of
  /// freedom.
  double relative_deviation = 0;
};

/// The line through measurements with independent errors, whose variance is (a² + b²·t²)/n + c²·t² for a time
/// of t seconds and n repetitions: what repetitions differ by, as they are noticed late or take another share
/// longer, and the share by which sizes lie beside a line however often they are measured. a and b are what
/// the repetitions of all sizes tell (weighted least squares, neither is negative), c what the deviations
/// from the line have beyond that (Paule and Mandel). Weighted least squares; standard errors are of what
/// the deviations of the measurements themselves are, so that they hold where variances are others, too
/// (HC2), with the degrees of freedom of Bell and McCaffrey, rounded down.
/// References: Paule, Mandel, "Consensus values and weighting factors", Journal of Research of the NBS 87(5),
/// 1982; Imbens, Kolesár, "Robust standard errors in small samples: some practical advice", Review of
/// Economics and Statistics 98(4), 2016.
/// @throws std::invalid_argument for less than three measurements, equal sizes only, or times that are not
/// positive.
LineFit fit_line(std::span<const SizedTime> measurements);

/// One line, or two that meet nowhere in particular where one does not fit: two if deviations from one are
/// larger than repetitions let expect, and two lower the weighted sum of squares more than chance would in
/// 1 % of cases at most (F test of each place of a break, by Bonferroni's bound; each line has four
/// measurements at least, the break is where the sum is least). As variances are found from the same
/// measurements, it is up to 3 % of simulated calibrations. Ascending sizes. O(n²).
std::vector<LineFit> fit_pieces(std::span<const SizedTime> measurements);

}  // namespace starling
