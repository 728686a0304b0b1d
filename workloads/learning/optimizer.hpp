#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/options/option_visitor.hpp"

namespace starling {

enum class OptimizerKind { sgd, adam, adamw, accum_adam };

std::string_view name_of(OptimizerKind kind);

/// How gradients change parameters. Names and defaults are those of torch.optim where it has them.
struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::sgd;
  double learning_rate = 0.01;
  double momentum = 0;      // sgd
  bool nesterov = false;    // sgd, with momentum
  double weight_decay = 0;  // adamw: of the parameters themselves; the others: added to the gradient
  double beta1 = 0.9;       // the Adam family
  double beta2 = 0.999;
  double epsilon = 1e-8;
  int accumulation = 1;  // accum_adam: steps per window
};

/// Describes the kind of an optimizer and its options; the learning rate stands elsewhere.
void describe(OptimizerOptions& options, OptionVisitor& visitor);

/// Turns gradients into parameter updates; keeps one worker's state, per element.
///
/// Elements are independent of each other, so updating a model in pieces, in any order, gives the same bits
/// as updating it at once. Takes no simulated time.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// Updates the elements first … first+parameters.size()−1 of the model with `scale` times `gradients`.
  /// `step` counts the updates of these elements, from 1.
  virtual void step(std::int64_t first, std::span<float> parameters, std::span<const float> gradients,
                    double scale, std::int64_t step) = 0;
};

/// The optimizer for a model of that many elements.
///
/// sgd: g ← scale·g + weight_decay·x; b ← momentum·b + g, at the first step b ← g; x ← x − learning_rate·b,
/// with nesterov x ← x − learning_rate·(g + momentum·b).
///
/// adam: m ← β₁m + (1−β₁)g; v ← β₂v + (1−β₂)g²; x ← x − learning_rate·m̂ / (√v̂ + ε) with m̂ = m / (1−β₁ᵏ),
/// v̂ = v / (1−β₂ᵏ) and k the step. adamw shrinks x by learning_rate·weight_decay·x first.
///
/// accum_adam: m and v advance only at the end of a window of `accumulation` steps, with the mean gradient of
/// the window. Every step uses m̃ = β₁m + (1−β₁)g and ṽ = β₂v + (1−β₂)g² of its own gradient in place of m
/// and v, and k = ⌈step/accumulation⌉. With accumulation 1 it is adam.
///
/// References: Kingma, Ba, ICLR 2015; Loshchilov, Hutter, ICLR 2019; Wang, Zhang, Wu, Johansson, ICLR 2025;
/// the documented updates of torch.optim.
/// @throws std::invalid_argument if an option is out of its range or belongs to another kind.
std::unique_ptr<Optimizer> make_optimizer(OptimizerOptions options, std::int64_t elements);

}  // namespace starling
