#include "analysis/calibration/line_fit.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

namespace starling {

namespace {

constexpr double chance_of_needless_break = 0.01;
constexpr std::size_t least_in_piece = 4;
// Weights depend on fitted times, and these on weights; with noise of some percent three rounds suffice.
// Likewise for the variances of repetitions.
constexpr int reweighting_rounds = 3;
constexpr int variance_rounds = 8;
/// The relative difference of durations that are equal up to rounding, as in error_beyond_rounding().
constexpr double rounding = 1e-9;

using Eigen::ArrayXd;

Eigen::Index index_of_size(std::size_t size) { return static_cast<Eigen::Index>(size); }

void check(std::span<const SizedTime> measurements) {
  if (measurements.size() < 3) throw std::invalid_argument("a line needs at least three measurements");
  for (const SizedTime& one : measurements)
    if (!(one.seconds > 0)) throw std::invalid_argument("a measured time is not positive");
  if (std::all_of(measurements.begin(), measurements.end(),
                  [&](const SizedTime& one) { return one.size == measurements.front().size; }))
    throw std::invalid_argument("a line needs at least two different sizes");
}

template <typename Member>
ArrayXd column(std::span<const SizedTime> measurements, Member SizedTime::*member) {
  ArrayXd values(index_of_size(measurements.size()));
  for (std::size_t i = 0; i < measurements.size(); ++i)
    values[index_of_size(i)] = static_cast<double>(measurements[i].*member);
  return values;
}

/// A least squares solution: both columns of the design matrix and the residuals, each row divided by its
/// scale.
struct LeastSquares {
  Eigen::MatrixX2d design;
  Eigen::Vector2d line;
  Eigen::VectorXd residuals;

  double squares() const { return residuals.squaredNorm(); }
};

LeastSquares solve_least_squares(std::span<const SizedTime> measurements, const ArrayXd& scale) {
  LeastSquares result{Eigen::MatrixX2d(scale.size(), 2), {}, {}};
  result.design.col(0) = scale.inverse();
  result.design.col(1) = column(measurements, &SizedTime::size) / scale;
  const Eigen::VectorXd times = column(measurements, &SizedTime::seconds) / scale;
  result.line = result.design.colPivHouseholderQr().solve(times);
  result.residuals = times - result.design * result.line;
  return result;
}

/// The times on the line whose errors are the same share of each time. Where that line is not positive, the
/// times as measured.
ArrayXd fitted_times(std::span<const SizedTime> measurements) {
  ArrayXd times = column(measurements, &SizedTime::seconds);
  for (int round = 0; round < reweighting_rounds; ++round) {
    const Eigen::Vector2d line = solve_least_squares(measurements, times).line;
    const ArrayXd fitted = line[0] + line[1] * column(measurements, &SizedTime::size);
    times = (fitted > 0).select(fitted, times);
  }
  return times;
}

/// The weighted least squares solution a, b of y = a + b·x, neither negative.
Eigen::Array2d none_negative(const ArrayXd& x, const ArrayXd& y, const ArrayXd& weights) {
  const double w = weights.sum();
  const double wx = (weights * x).sum();
  const double wxx = (weights * x * x).sum();
  const double wy = (weights * y).sum();
  const double wxy = (weights * x * y).sum();
  const double determinant = w * wxx - wx * wx;
  const double a = (wxx * wy - wx * wxy) / determinant;
  const double b = (w * wxy - wx * wy) / determinant;
  if (!(a >= 0)) return {0, wxy / wxx};
  if (!(b >= 0)) return {wy / w, 0};
  return {a, b};
}

/// The variance of each measurement by its repetitions: a fixed part, and one proportional to the square of
/// the time.
ArrayXd variances_of_repetitions(std::span<const SizedTime> measurements, const ArrayXd& times_s) {
  const ArrayXd repetitions = column(measurements, &SizedTime::repetitions);
  const ArrayXd found = column(measurements, &SizedTime::variance_of_one_s2);
  const ArrayXd squares = times_s.square();
  const ArrayXd freedom = (repetitions - 1).max(0);
  if ((freedom * found).sum() <= 0) return ArrayXd::Zero(times_s.size());
  // The variance of an estimated variance is 2·variance²/degrees of freedom; the factor 2 does not matter in
  // weights.
  ArrayXd expected = (freedom * found / squares).sum() / freedom.sum() * squares;
  for (int round = 0; round < variance_rounds; ++round) {
    const Eigen::Array2d parts = none_negative(squares, found, freedom / expected.square());
    expected = (parts[0] + parts[1] * squares).max(rounding * rounding * squares);
  }
  return expected / repetitions;
}

/// The variance of every measurement: that of its repetitions, and that of the share by which measurements
/// deviate from one line beyond it.
struct Variances {
  ArrayXd all_s2;
  bool is_line_enough = false;  // whether one line fits without such a share
};

Variances variances(std::span<const SizedTime> measurements) {
  const ArrayXd times_s = fitted_times(measurements);
  const ArrayXd squares = times_s.square();
  const ArrayXd known = variances_of_repetitions(measurements, times_s) + rounding * rounding * squares;
  const auto freedom = static_cast<double>(measurements.size() - 2);
  const auto is_enough = [&](double share2) {
    return solve_least_squares(measurements, (known + share2 * squares).sqrt()).squares() <= freedom;
  };
  if (is_enough(0)) return {.all_s2 = known, .is_line_enough = true};
  double above = rounding * rounding;
  while (!is_enough(above)) above *= 2;
  double below = above / 2;
  for (int halving = 0; halving < std::numeric_limits<double>::digits; ++halving) {
    const double middle = (below + above) / 2;
    (is_enough(middle) ? above : below) = middle;
  }
  return {.all_s2 = known + above * squares, .is_line_enough = false};
}

/// The standard errors of coefficients from the squared residuals (HC2), with Bell and McCaffrey's degrees of
/// freedom, for which each row is taken to have the variance of its scale.
class CoefficientErrors {
 public:
  explicit CoefficientErrors(const LeastSquares& solution)
      : solution_(solution),
        influence_((solution.design.transpose() * solution.design).inverse() * solution.design.transpose()),
        remainder_(Eigen::MatrixXd::Identity(solution.residuals.size(), solution.residuals.size()) -
                   solution.design * influence_) {}

  SampleEstimate estimate(Eigen::Index coefficient) const {
    constexpr double least_remainder = 1e-9;  // for a row that determines the line on its own
    const ArrayXd influence2 = influence_.row(coefficient).transpose().array().square();
    const ArrayXd corrected = influence2 / remainder_.diagonal().array().max(least_remainder);
    const double variance = (corrected * solution_.residuals.array().square()).sum();
    const double spread = corrected.matrix().dot(remainder_.array().square().matrix() * corrected.matrix());
    const double freedom = influence2.sum() * influence2.sum() / spread;
    return {.value = solution_.line[coefficient],
            .standard_error = std::sqrt(variance),
            .degrees_of_freedom = std::max(1, static_cast<int>(freedom))};
  }

 private:
  const LeastSquares& solution_;
  Eigen::Matrix2Xd influence_;  // of every row on the coefficients
  Eigen::MatrixXd remainder_;   // residuals as a function of the rows' deviations: I − hat matrix
};

/// The relative deviation of LineFit.
double deviation_around(const Eigen::Vector2d& line, std::span<const SizedTime> measurements) {
  double squares = 0;
  for (const SizedTime& one : measurements) {
    const double fitted_s = line[0] + line[1] * one.size;
    const double relative = (one.seconds - fitted_s) / (fitted_s > 0 ? fitted_s : one.seconds);
    squares += relative * relative;
  }
  return std::sqrt(squares / static_cast<double>(measurements.size() - 2));
}

LineFit weighted_fit(std::span<const SizedTime> measurements, const ArrayXd& variances_s2) {
  const LeastSquares solution = solve_least_squares(measurements, variances_s2.sqrt());
  const CoefficientErrors errors(solution);
  const auto [least, greatest] =
      std::minmax_element(measurements.begin(), measurements.end(),
                          [](const SizedTime& a, const SizedTime& b) { return a.size < b.size; });
  return {.start_s = errors.estimate(0),
          .s_per_unit = errors.estimate(1),
          .least = least->size,
          .greatest = greatest->size,
          .relative_deviation = deviation_around(solution.line, measurements)};
}

/// Measurements in ascending order with their variances, as one line or two.
class Pieces {
 public:
  Pieces(std::span<const SizedTime> measurements, const ArrayXd& variances_s2)
      : measurements_(measurements), variances_s2_(variances_s2) {}

  /// The line through `count` measurements from `first` on.
  LineFit fit(std::size_t first, std::size_t count) const {
    return weighted_fit(measurements_.subspan(first, count), part(first, count));
  }
  /// The weighted sum of squared residuals of that line.
  double squares(std::size_t first, std::size_t count) const {
    return solve_least_squares(measurements_.subspan(first, count), part(first, count).sqrt()).squares();
  }

 private:
  ArrayXd part(std::size_t first, std::size_t count) const {
    return variances_s2_.segment(index_of_size(first), index_of_size(count));
  }

  std::span<const SizedTime> measurements_;
  const ArrayXd& variances_s2_;
};

}  // namespace

SizedTime mean_time(double size, const std::vector<double>& seconds) {
  const SampleEstimate mean = estimate_mean(seconds);
  const auto repetitions = static_cast<int>(seconds.size());
  return {.size = size,
          .seconds = mean.value,
          .repetitions = repetitions,
          .variance_of_one_s2 = mean.standard_error * mean.standard_error * repetitions};
}

SizedTime median_time(double size, const std::vector<double>& seconds) {
  constexpr double deviations_in_median_deviation =
      1.4826;  // 1 / the quantile 3/4 of the normal distribution
  const double median_s = median_of(seconds);
  std::vector<double> distances_s;
  for (const double one_s : seconds) distances_s.push_back(std::abs(one_s - median_s));
  const double deviation_s = deviations_in_median_deviation * median_of(distances_s);
  return {.size = size,
          .seconds = median_s,
          .repetitions = static_cast<int>(seconds.size()),
          .variance_of_one_s2 = std::numbers::pi / 2 * deviation_s * deviation_s};
}

LineFit fit_line(std::span<const SizedTime> measurements) {
  check(measurements);
  return weighted_fit(measurements, variances(measurements).all_s2);
}

std::vector<LineFit> fit_pieces(std::span<const SizedTime> measurements) {
  check(measurements);
  const std::size_t n = measurements.size();
  const Variances found = variances(measurements);
  const Pieces pieces(measurements, found.all_s2);
  const std::vector<LineFit> one{pieces.fit(0, n)};
  if (found.is_line_enough || n < 2 * least_in_piece) return one;
  std::size_t best = 0;
  double least_squares = std::numeric_limits<double>::infinity();
  for (std::size_t split = least_in_piece; split + least_in_piece <= n; ++split) {
    const double squares = pieces.squares(0, split) + pieces.squares(split, n - split);
    if (squares >= least_squares) continue;
    least_squares = squares;
    best = split;
  }
  constexpr double more_parameters = 2;
  const double freedom = static_cast<double>(n) - 2 - more_parameters;
  const auto places = static_cast<double>(n - 2 * least_in_piece + 1);
  // Chance may find a break at any place, so the level of each test is divided by their number (Bonferroni).
  const double bound = boost::math::quantile(boost::math::fisher_f(more_parameters, freedom),
                                             1 - chance_of_needless_break / places);
  const double gain = (pieces.squares(0, n) - least_squares) / more_parameters;
  if (gain <= bound * least_squares / freedom) return one;
  return {pieces.fit(0, best), pieces.fit(best, n - best)};
}

}  // namespace starling
