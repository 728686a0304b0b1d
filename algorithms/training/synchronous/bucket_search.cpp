#include "algorithms/training/synchronous/bucket_search.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "base/numbers/double_policy.hpp"
#include "base/reject.hpp"

namespace starling {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The number of candidates for the next trial, evenly spaced: 511 candidates in [1, 256] MiB are half a MiB
/// apart.
constexpr int candidates = 511;

/// Observation noise that keeps the kernel matrix positive definite where two trials are close, in units of
/// the variance of the times.
constexpr double noise_variance = 1e-6;

/// The covariance of two points at a distance of r length scales: Matérn with ν = 5/2.
double matern(double r) {
  const double x = std::sqrt(5.0) * r;
  return (1 + x + x * x / 3) * std::exp(-x);
}

/// Rounds to about nine digits, so that rounding errors of simulated times do not change the search.
double rounded_s(double time_s) {
  constexpr int binary_digits = 30;
  int exponent = 0;
  const double fraction = std::frexp(time_s, &exponent);
  return std::ldexp(std::round(std::ldexp(fraction, binary_digits)), exponent - binary_digits);
}

/// The prediction of a Gaussian process at a point.
struct Prediction {
  double mean = 0;
  double deviation = 0;
};

/// A Gaussian process with prior mean 0 and variance 1, conditioned on values at points of [0, 1].
class GaussianProcess {
 public:
  GaussianProcess(VectorXd points, const VectorXd& values, double length_scale)
      : points_(std::move(points)), length_scale_(length_scale) {
    MatrixXd covariance(points_.size(), points_.size());
    for (Index i = 0; i < points_.size(); ++i) covariance.col(i) = covariances(points_[i]);
    covariance.diagonal().array() += noise_variance;
    factor_.compute(covariance);
    weights_ = factor_.solve(values);
    const MatrixXd lower = factor_.matrixL();
    log_likelihood_ = -0.5 * values.dot(weights_) - lower.diagonal().array().log().sum();
  }

  /// The log-likelihood of the values, up to a constant that does not depend on the length scale.
  double log_likelihood() const { return log_likelihood_; }

  Prediction at(double point) const {
    const VectorXd covariance = covariances(point);
    const double variance = 1 - covariance.dot(factor_.solve(covariance));
    return {.mean = covariance.dot(weights_), .deviation = std::sqrt(std::max(variance, 0.0))};
  }

 private:
  VectorXd covariances(double point) const {
    return points_.unaryExpr([&](double other) { return matern(std::abs(other - point) / length_scale_); });
  }

  VectorXd points_;
  double length_scale_;
  Eigen::LLT<MatrixXd> factor_;
  VectorXd weights_;
  double log_likelihood_ = 0;
};

/// The Gaussian process whose length scale has the highest likelihood.
GaussianProcess fit(const VectorXd& points, const VectorXd& values) {
  GaussianProcess best(points, values, 0.05);
  for (const double length_scale : {0.1, 0.2, 0.4, 0.8}) {
    GaussianProcess other(points, values, length_scale);
    if (other.log_likelihood() > best.log_likelihood()) best = std::move(other);
  }
  return best;
}

/// The expected amount by which a point falls below `best` − `exploration`.
double expected_improvement(const Prediction& predicted, double best, double exploration) {
  const double gain = best - exploration - predicted.mean;
  if (predicted.deviation == 0) return std::max(gain, 0.0);
  const boost::math::normal_distribution<double, DoublePolicy> standard;
  const double z = gain / predicted.deviation;
  return gain * cdf(standard, z) + predicted.deviation * pdf(standard, z);
}

/// The state of a search: bucket sizes are mapped to [0, 1], times to mean 0 and variance 1.
class Search {
 public:
  explicit Search(const BucketSearchOptions& options) : options_(options) {}

  void add(const BucketTrial& trial) { trials_.push_back(trial); }
  const std::vector<BucketTrial>& trials() const { return trials_; }

  /// The candidate with the greatest expected improvement that was not tried yet; the smallest of several.
  double next_bytes() const {
    const VectorXd values = standardized_times();
    const GaussianProcess process = fit(points(), values);
    double best_point = 0;
    double best_improvement = -1;
    for (int i = 0; i < candidates; ++i) {
      const double point = i / (candidates - 1.0);
      const double improvement =
          expected_improvement(process.at(point), values.minCoeff(), options_.exploration);
      if (improvement > best_improvement && !was_tried(point)) {
        best_improvement = improvement;
        best_point = point;
      }
    }
    return options_.smallest_bytes + best_point * (options_.largest_bytes - options_.smallest_bytes);
  }

 private:
  double point_of(double bytes) const {
    const double range = options_.largest_bytes - options_.smallest_bytes;
    return range == 0 ? 0 : (bytes - options_.smallest_bytes) / range;
  }

  bool was_tried(double point) const {
    return std::ranges::any_of(trials_, [&](const BucketTrial& trial) {
      return std::abs(point_of(trial.bucket_bytes) - point) < 1e-9;
    });
  }

  VectorXd points() const {
    VectorXd points(static_cast<Index>(trials_.size()));
    for (Index i = 0; i < points.size(); ++i)
      points[i] = point_of(trials_[static_cast<std::size_t>(i)].bucket_bytes);
    return points;
  }

  VectorXd standardized_times() const {
    VectorXd times(static_cast<Index>(trials_.size()));
    for (Index i = 0; i < times.size(); ++i)
      times[i] = rounded_s(trials_[static_cast<std::size_t>(i)].iteration_time_s);
    times.array() -= times.mean();
    const double deviation = std::sqrt(times.squaredNorm() / static_cast<double>(times.size()));
    return deviation > 0 ? VectorXd(times / deviation) : times;
  }

  const BucketSearchOptions& options_;
  std::vector<BucketTrial> trials_;
};

void validate(const BucketSearchOptions& options) {
  if (!(0 < options.smallest_bytes && options.smallest_bytes <= options.start_bytes &&
        options.start_bytes <= options.largest_bytes && std::isfinite(options.largest_bytes))) {
    reject("bucket search: smallest {}, start {}, largest {} bytes; they must be positive and in that order",
           options.smallest_bytes, options.start_bytes, options.largest_bytes);
  }
  if (options.trials < 1) {
    reject("bucket search: trials is {}; it must be 1 or more", options.trials);
  }
  if (!(options.exploration >= 0)) {
    reject("bucket search: exploration is {}; it must not be negative", options.exploration);
  }
}

}  // namespace

BucketSearchResult search_bucket_bytes(const std::function<double(double bucket_bytes)>& iteration_time_s,
                                       const BucketSearchOptions& options) {
  validate(options);
  Search search(options);
  for (int trial = 0; trial < options.trials; ++trial) {
    const double bytes = trial == 0 ? options.start_bytes : search.next_bytes();
    search.add({.bucket_bytes = bytes, .iteration_time_s = iteration_time_s(bytes)});
  }
  const BucketTrial best = *std::ranges::min_element(
      search.trials(), {}, [](const BucketTrial& trial) { return rounded_s(trial.iteration_time_s); });
  return {best.bucket_bytes, best.iteration_time_s, search.trials()};
}

}  // namespace starling
