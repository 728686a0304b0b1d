#pragma once

#include <span>
#include <vector>

#include "analysis/statistics/estimate.hpp"

namespace starling {

/// How long something takes that is `size` large.
struct SizedTime {
  double size = 0;
  double seconds = 0;
};

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

/// The line through measurements whose errors are independent, normal and relative: the same share of each
/// time. Least squares, weighted with the squares of the fitted times; n − 2 degrees of freedom.
/// Reference: Draper, Smith, "Applied Regression Analysis", 3rd edition, chapters 5 and 9.
/// @throws std::invalid_argument for less than three measurements, equal sizes only, or times that are not
/// positive.
LineFit fit_line(std::span<const SizedTime> measurements);

/// One line, or two that meet nowhere in particular where one does not fit: two if that lowers the sum of
/// squares more than chance would in 1 % of cases at most (F test of each place of a break, by Bonferroni's
/// bound; each line has four measurements at least, the break is where the sum is least). Ascending sizes.
/// O(n²).
std::vector<LineFit> fit_pieces(std::span<const SizedTime> measurements);

}  // namespace starling
