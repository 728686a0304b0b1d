#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/options/option_visitor.hpp"
#include "workloads/learning/learning_task.hpp"

namespace starling {

/// The regression task with which eager-SGD was measured.
struct HyperplaneOptions {
  static constexpr std::string_view name = "hyperplane";
  static constexpr std::string_view summary =
      "linear regression on noisy points of a hyperplane, as eager-SGD was measured with";
  int features = 8192;
  int points = 32768;
  int batch_size = 2048;             // points per worker and iteration
  double noise_variance = 5.6;       // variance of the noise in the values
  double coefficient_deviation = 1;  // standard deviation of the true coefficients
  std::uint64_t seed = 1;
};

void describe(HyperplaneOptions& options, OptionVisitor& visitor);

/// Regression of y = a·x + c + noise for random points x by one linear layer: one weight per feature, then
/// one bias. The loss is the mean squared error over all points; all workers start from zero parameters.
///
/// What is published of the task: a noisy 8,192-dimensional hyperplane, 32,768 points, a one-layer
/// perceptron, a total batch of 2,048, 48 epochs (768 iterations), and a loss of about 4.7 in the end. The
/// distribution of the points, the coefficients and the noise are choices made here. The features are
/// independent and −1 or +1 with equal probability: their covariance and spectrum are those of standard
/// normal points (the condition number of the loss is ((1+√r)/(1−√r))² = 9 for r = features/points = 1/4),
/// and they fit in 32 MiB. Every worker draws its batches, with replacement, from all points.
///
/// The noise is chosen so that a loss of 4.7 is a sensible target: least squares over all points leaves
/// noise_variance · (1 − 1/4) = 4.2, batches of 2,048 at learning rate 0.01 add 0.2, and plain SGD passes 4.7
/// after two thirds of the 768 iterations. An algorithm that averages fewer or staler gradients reaches it
/// later, or not at all.
///
/// A gradient takes about 4 · batch_size · features operations, a loss 2 · points · features.
/// Reference: Li, Ben-Nun, Di Girolamo, Alistarh, Hoefler, PPoPP 2020, Section 7.2.1.
class HyperplaneTask : public LearningTask {
 public:
  /// @throws std::invalid_argument for an option out of range, or more than 2³⁵ features over all points.
  explicit HyperplaneTask(const HyperplaneOptions& options);

  std::int64_t parameters() const override { return options_.features + 1; }
  std::vector<float> initial_parameters() const override;
  void gradient(int worker, std::int64_t iteration, std::span<const float> parameters,
                std::span<float> gradients) const override;
  double loss(std::span<const float> parameters) const override;
  double gradient_operations() const override { return 4.0 * options_.batch_size * options_.features; }
  double loss_operations() const override { return 2.0 * options_.points * options_.features; }

  /// The parameters of the hyperplane without noise, which are to be learned.
  const std::vector<float>& true_parameters() const { return true_parameters_; }
  /// Feature k of a point: −1 or +1.
  float feature(std::int64_t point, int k) const;
  float value(std::int64_t point) const { return values_[static_cast<std::size_t>(point)]; }

 private:
  std::span<const std::uint8_t> signs_of(std::size_t point) const;

  HyperplaneOptions options_;
  std::size_t bytes_per_point_ = 0;
  std::vector<std::uint8_t> signs_;  // one bit per feature, each point padded to whole bytes
  std::vector<float> true_parameters_;
  std::vector<float> values_;
};

}  // namespace starling
