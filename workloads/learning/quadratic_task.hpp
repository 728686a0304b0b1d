#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/options/option_visitor.hpp"
#include "workloads/learning/learning_task.hpp"

namespace starling {

/// A quadratic loss whose difficulty is known exactly.
struct QuadraticOptions {
  static constexpr std::string_view name = "quadratic";
  static constexpr std::string_view summary =
      "a quadratic of known condition number, gradient noise and heterogeneity of the workers";
  int dimension = 100;
  double condition_number = 10;  // largest over smallest curvature
  double gradient_noise = 0;     // standard deviation of each element of a gradient
  double heterogeneity = 0;      // standard deviation of each element of the workers' own optima
  int workers = 1;
  std::uint64_t seed = 1;
};

void describe(QuadraticOptions& options, OptionVisitor& visitor);

/// f(x) = ½ Σ_k λ_k x_k², with curvatures λ_k that fall from 1 to 1/condition_number geometrically.
///
/// Worker i's own loss is ½ Σ_k λ_k (x_k − c_ik)², where the optima c_i have mean 0 over the workers. So the
/// workers' losses average to f plus a constant, which loss() leaves out: its minimum is 0, at x = 0. A
/// worker's gradient is λ_k (x_k − c_ik) + gradient_noise · ξ with standard normal ξ, independent over
/// workers, iterations and elements. All workers start from the same standard normal draw.
///
/// Gradient descent with learning rate η multiplies x_k by 1 − ηλ_k in each step. With gradient noise of
/// standard deviation σ on one worker, the variance of x_k tends to ησ² / (λ_k (2 − ηλ_k)).
class QuadraticTask : public LearningTask {
 public:
  /// @throws std::invalid_argument for an option out of range.
  explicit QuadraticTask(const QuadraticOptions& options);

  std::int64_t parameters() const override { return options_.dimension; }
  std::vector<float> initial_parameters() const override;
  void gradient(int worker, std::int64_t iteration, std::span<const float> parameters,
                std::span<float> gradients) const override;
  double loss(std::span<const float> parameters) const override;
  double gradient_operations() const override;
  double loss_operations() const override { return 3.0 * options_.dimension; }

  const std::vector<float>& curvatures() const { return curvatures_; }
  /// The minimum of this worker's own loss.
  std::span<const float> optimum(int worker) const;

 private:
  QuadraticOptions options_;
  std::vector<float> curvatures_;
  std::vector<float> optima_;  // of worker 0, then of worker 1, …
};

}  // namespace starling
