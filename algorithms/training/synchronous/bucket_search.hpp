#pragma once

#include <functional>
#include <vector>

#include "base/types.hpp"

namespace starling {

/// How to look for the best bucket size. The defaults are the DeAR paper's.
struct BucketSearchOptions {
  double start_bytes = 25 * mebibyte;
  double smallest_bytes = 1 * mebibyte;
  double largest_bytes = 256 * mebibyte;
  /// Evaluations of the objective, the start included. At least 1.
  int trials = 10;
  /// ξ: by how much (in standard deviations of the times seen) a point must promise to improve; larger
  /// explores more.
  double exploration = 0.1;
};

/// One evaluation of the objective.
struct BucketTrial {
  double bucket_bytes = 0;
  double iteration_time_s = 0;
};

/// All trials in order, and the best of them (the first, if several are to nine digits).
struct BucketSearchResult {
  double bucket_bytes = 0;
  double iteration_time_s = 0;
  std::vector<BucketTrial> trials;
};

/// Looks for the bucket size with the least `iteration_time_s(bucket_bytes)` by Bayesian optimization: a
/// Gaussian process through the trials so far, the next trial where the expected improvement is greatest.
///
/// Deterministic, whatever a time has beyond nine digits. Costs `trials` calls of the objective.
/// Reference: Zhang et al., "Decoupling the All-Reduce Primitive for Accelerating Distributed Deep Learning"
/// (DeAR), ICDCS 2023; Jones, Schonlau, Welch, "Efficient global optimization of expensive black-box
/// functions", 1998.
/// @throws std::invalid_argument if the options are not 0 < smallest ≤ start ≤ largest, trials ≥ 1, ξ ≥ 0.
BucketSearchResult search_bucket_bytes(const std::function<double(double bucket_bytes)>& iteration_time_s,
                                       const BucketSearchOptions& options = {});

}  // namespace starling
