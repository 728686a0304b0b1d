#pragma once

#include <functional>
#include <vector>

#include "base/types.hpp"

namespace starling {

/// Options of the search for a bucket size. The defaults are those of the DeAR paper.
struct BucketSearchOptions {
  double start_bytes = 25 * mebibyte;
  double smallest_bytes = 1 * mebibyte;
  double largest_bytes = 256 * mebibyte;
  /// The number of evaluations of the objective, the starting point included. At least 1.
  int trials = 10;
  /// ξ: the improvement that a point must promise, in standard deviations of the times measured so far.
  /// Larger values explore more. At least 0.
  double exploration = 0.1;
};

/// One evaluation of the objective.
struct BucketTrial {
  double bucket_bytes = 0;
  double iteration_time_s = 0;
};

/// All trials in order, and the best of them: the first of those whose times agree to nine digits.
struct BucketSearchResult {
  double bucket_bytes = 0;
  double iteration_time_s = 0;
  std::vector<BucketTrial> trials;
};

/// Finds the bucket size with the least `iteration_time_s(bucket_bytes)` by Bayesian optimization: fits a
/// Gaussian process to the trials so far, and makes the next trial where the expected improvement is
/// greatest.
///
/// Deterministic, and independent of differences in times beyond nine digits. Calls the objective `trials`
/// times.
/// Reference: Zhang et al., "Decoupling the All-Reduce Primitive for Accelerating Distributed Deep Learning"
/// (DeAR), ICDCS 2023; Jones, Schonlau, Welch, "Efficient global optimization of expensive black-box
/// functions", 1998.
/// @throws std::invalid_argument if the options are not 0 < smallest ≤ start ≤ largest, trials ≥ 1, ξ ≥ 0.
BucketSearchResult search_bucket_bytes(const std::function<double(double bucket_bytes)>& iteration_time_s,
                                       const BucketSearchOptions& options = {});

}  // namespace starling
