#include "analysis/calibration/line_fit.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>
#include <stdexcept>

namespace starling {

namespace {

constexpr double chance_of_needless_break = 0.01;
constexpr std::size_t least_in_piece = 4;
// Weights come from fitted times, which come from weights; with noise of some percent three rounds change
// nothing any more.
constexpr int reweighting_rounds = 3;

void check(std::span<const SizedTime> measurements) {
  if (measurements.size() < 3) throw std::invalid_argument("a line needs at least three measurements");
  for (const SizedTime& one : measurements)
    if (!(one.seconds > 0)) throw std::invalid_argument("a measured time is not positive");
  if (std::all_of(measurements.begin(), measurements.end(),
                  [&](const SizedTime& one) { return one.size == measurements.front().size; }))
    throw std::invalid_argument("a line needs at least two different sizes");
}

/// Both columns of the design matrix, and the times, each row divided by its `scale`.
struct Weighted {
  Eigen::MatrixX2d design;
  Eigen::VectorXd times;
};

Weighted weighted(std::span<const SizedTime> measurements, const Eigen::VectorXd& scale) {
  const auto n = static_cast<Eigen::Index>(measurements.size());
  Weighted rows{Eigen::MatrixX2d(n, 2), Eigen::VectorXd(n)};
  for (Eigen::Index i = 0; i < n; ++i) {
    const SizedTime& one = measurements[static_cast<std::size_t>(i)];
    rows.design.row(i) << 1 / scale[i], one.size / scale[i];
    rows.times[i] = one.seconds / scale[i];
  }
  return rows;
}

double sum_of_squares(const LineFit& fit, std::size_t count) {
  return fit.relative_deviation * fit.relative_deviation * static_cast<double>(count - 2);
}

}  // namespace

LineFit fit_line(std::span<const SizedTime> measurements) {
  check(measurements);
  const auto n = static_cast<Eigen::Index>(measurements.size());
  Eigen::VectorXd scale(n);
  for (Eigen::Index i = 0; i < n; ++i) scale[i] = measurements[static_cast<std::size_t>(i)].seconds;

  Eigen::Vector2d line;
  Weighted rows;
  for (int round = 0; round < reweighting_rounds; ++round) {
    rows = weighted(measurements, scale);
    line = rows.design.colPivHouseholderQr().solve(rows.times);
    const Eigen::VectorXd fitted = (rows.design * line).cwiseProduct(scale);
    // A line may run below zero where nothing lies near it; such times keep the weight they had.
    scale = (fitted.array() > 0).select(fitted, scale);
  }
  const auto freedom = static_cast<double>(n - 2);
  const double variance = (rows.times - rows.design * line).squaredNorm() / freedom;
  const Eigen::Matrix2d covariance = variance * (rows.design.transpose() * rows.design).inverse();
  const auto coefficient = [&](Eigen::Index i) {
    return SampleEstimate{.value = line[i],
                          .standard_error = std::sqrt(covariance(i, i)),
                          .degrees_of_freedom = static_cast<int>(n - 2)};
  };
  const auto [least, greatest] =
      std::minmax_element(measurements.begin(), measurements.end(),
                          [](const SizedTime& a, const SizedTime& b) { return a.size < b.size; });
  return {.start_s = coefficient(0),
          .s_per_unit = coefficient(1),
          .least = least->size,
          .greatest = greatest->size,
          .relative_deviation = std::sqrt(variance)};
}

std::vector<LineFit> fit_pieces(std::span<const SizedTime> measurements) {
  const LineFit one = fit_line(measurements);
  const std::size_t n = measurements.size();
  std::vector<LineFit> best{one};
  double least_squares = sum_of_squares(one, n);
  for (std::size_t split = least_in_piece; split + least_in_piece <= n; ++split) {
    const LineFit left = fit_line(measurements.first(split));
    const LineFit right = fit_line(measurements.subspan(split));
    const double squares = sum_of_squares(left, split) + sum_of_squares(right, n - split);
    if (squares >= least_squares) continue;
    least_squares = squares;
    best = {left, right};
  }
  if (best.size() == 1) return best;
  constexpr double more_parameters = 2;
  const double freedom = static_cast<double>(n) - 2 - more_parameters;
  const auto places = static_cast<double>(n - 2 * least_in_piece + 1);
  // Numbers that fit exactly leave nothing but rounding to compare.
  const double rounding = static_cast<double>(n) * 1e-24;
  if (sum_of_squares(one, n) <= rounding) return {one};
  const double ratio = (sum_of_squares(one, n) - least_squares) / more_parameters /
                       (std::max(least_squares, rounding) / freedom);
  // Chance may find a break at any place, so at each it may do so as many times less often (Bonferroni).
  const double bound = boost::math::quantile(boost::math::fisher_f(more_parameters, freedom),
                                             1 - chance_of_needless_break / places);
  return ratio > bound ? best : std::vector<LineFit>{one};
}

}  // namespace starling
