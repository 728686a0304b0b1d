#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/options/option_visitor.hpp"

namespace starling {

enum class OptimizerKind { sgd, adam, adamw, accum_adam };

std::string_view name_of(OptimizerKind kind);

/// The optimizer and its options. Names and defaults are those of torch.optim where it has them.
struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::sgd;
  double learning_rate = 0.01;
  double momentum = 0;      // sgd
  bool nesterov = false;    // sgd; needs momentum
  double weight_decay = 0;  // adamw: decay of the parameters themselves; others: added to the gradient
  double beta1 = 0.9;       // the Adam family
  double beta2 = 0.999;
  double epsilon = 1e-8;
  int accumulation = 1;  // accum_adam: number of steps in a window
};

/// Describes the kind of an optimizer and its options, except for the learning rate, which is a key
/// elsewhere.
void describe(OptimizerOptions& options, OptionVisitor& visitor);

/// Updates parameters by gradients; holds the state of one worker's optimizer, per element.
///
/// Elements are independent of each other, so updating a model in pieces, in any order, gives the same bits
/// as updating it at once. Takes no simulated time.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// Updates the elements first … first+parameters.size()−1 of the model by `scale` times `gradients`. `step`
  /// counts the updates of these elements, from 1.
  virtual void step(std::int64_t first, std::span<float> parameters, std::span<const float> gradients,
                    double scale, std::int64_t step) = 0;
};

/// Makes an optimizer for a model of `elements` elements.
///
/// sgd: g ← scale·g + weight_decay·x; b ← momentum·b + g, in the first step b ← g; x ← x − learning_rate·b,
/// with nesterov x ← x − learning_rate·(g + momentum·b).
///
/// adam: m ← β₁m + (1−β₁)g; v ← β₂v + (1−β₂)g²; x ← x − learning_rate·m̂ / (√v̂ + ε) with m̂ = m / (1−β₁ᵏ),
/// v̂ = v / (1−β₂ᵏ) and k the step. adamw first shrinks x by learning_rate·weight_decay·x.
///
/// accum_adam: m and v advance only at the end of a window of `accumulation` steps, by the mean gradient of
/// the window. In place of m and v, every step uses m̃ = β₁m + (1−β₁)g and ṽ = β₂v + (1−β₂)g² with its own
/// gradient, and k = ⌈step/accumulation⌉. With accumulation 1 it is adam.
///
/// References: Kingma, Ba, ICLR 2015; Loshchilov, Hutter, ICLR 2019; Wang, Zhang, Wu, Johansson, ICLR 2025;
/// the documented updates of torch.optim.
/// @throws std::invalid_argument if an option is out of its range or belongs to another kind.
std::unique_ptr<Optimizer> make_optimizer(OptimizerOptions options, std::int64_t elements);

}  // namespace starling
