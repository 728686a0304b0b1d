#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

namespace starling {

/// Mean and variance of a sample, and how far five standard errors of each reach: a correct sampler leaves
/// them with probability 6·10⁻⁷, and as draws follow from the seed, a test that passes once passes always.
struct SampleMoments {
  double mean = 0;
  double variance = 0;
  double mean_tolerance = 0;
  double variance_tolerance = 0;
};

inline SampleMoments moments_of(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  SampleMoments moments;
  for (const double value : values) moments.mean += value / count;
  double fourth = 0;
  for (const double value : values) {
    const double square = (value - moments.mean) * (value - moments.mean);
    moments.variance += square / count;
    fourth += square * square / count;
  }
  moments.mean_tolerance = 5 * std::sqrt(moments.variance / count);
  moments.variance_tolerance = 5 * std::sqrt((fourth - moments.variance * moments.variance) / count);
  return moments;
}

/// Five standard errors of the share of successes in `count` independent trials.
inline double share_tolerance(double share, double count) {
  return 5 * std::sqrt(share * (1 - share) / count);
}

}  // namespace starling
