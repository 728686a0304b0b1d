#include "workloads/learning/optimizer.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "base/options/option_check.hpp"
#include "base/reject.hpp"

namespace starling {

namespace {

std::vector<float> state_of(std::int64_t elements, bool is_used = true) {
  return std::vector<float>(is_used ? static_cast<std::size_t>(elements) : 0);
}

class Sgd : public Optimizer {
 public:
  Sgd(const OptimizerOptions& options, std::int64_t elements)
      : options_(options), velocity_(state_of(elements, options.momentum != 0)) {}

  void step(std::int64_t first, std::span<float> parameters, std::span<const float> gradients, double scale,
            std::int64_t step) override {
    if (options_.momentum == 0 && options_.weight_decay == 0) {
      const auto rate = static_cast<float>(options_.learning_rate * scale);
      for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i] -= rate * gradients[i];
      return;
    }
    const auto rate = static_cast<float>(options_.learning_rate);
    const auto gradient_scale = static_cast<float>(scale);
    const auto decay = static_cast<float>(options_.weight_decay);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const float gradient = gradient_scale * gradients[i] + decay * parameters[i];
      parameters[i] -= rate * direction(static_cast<std::size_t>(first) + i, gradient, step);
    }
  }

 private:
  /// The direction of the step, with momentum; the first step has none.
  float direction(std::size_t element, float gradient, std::int64_t step) {
    if (velocity_.empty()) return gradient;
    const auto momentum = static_cast<float>(options_.momentum);
    float& velocity = velocity_[element];
    velocity = step == 1 ? gradient : momentum * velocity + gradient;
    return options_.nesterov ? gradient + momentum * velocity : velocity;
  }

  OptimizerOptions options_;
  std::vector<float> velocity_;
};

/// An exponential moving average. 1−β is computed before rounding to float: 1−0.999 would otherwise be off by
/// 5·10⁻⁵.
struct MovingAverage {
  explicit MovingAverage(double beta)
      : old_share(static_cast<float>(beta)), new_share(static_cast<float>(1 - beta)) {}

  float next(float average, float value) const { return old_share * average + new_share * value; }

  float old_share;
  float new_share;
};

/// Adam, AdamW and AccumAdam; in the first two every window is one step.
class Adam : public Optimizer {
 public:
  Adam(const OptimizerOptions& options, std::int64_t elements)
      : options_(options),
        first_average_(options.beta1),
        second_average_(options.beta2),
        epsilon_(static_cast<float>(options.epsilon)),
        first_moments_(state_of(elements)),
        second_moments_(state_of(elements)),
        window_sums_(state_of(elements, options.accumulation > 1)) {}

  void step(std::int64_t first, std::span<float> parameters, std::span<const float> gradients, double scale,
            std::int64_t step) override {
    const Corrections corrections = corrections_at(step);
    const bool is_decoupled = options_.kind == OptimizerKind::adamw;
    const auto gradient_scale = static_cast<float>(scale);
    const auto decay = static_cast<float>(is_decoupled ? 0 : options_.weight_decay);
    const auto shrink =
        static_cast<float>(is_decoupled ? 1 - options_.learning_rate * options_.weight_decay : 1);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const float gradient = gradient_scale * gradients[i] + decay * parameters[i];
      parameters[i] =
          shrink * parameters[i] - step_length(static_cast<std::size_t>(first) + i, gradient, corrections);
    }
    advance(first, parameters.size(), step);
  }

 private:
  struct Corrections {
    float rate = 0;         // learning rate / (1 − β₁ᵏ)
    float second_root = 0;  // √(1 − β₂ᵏ)
  };

  Corrections corrections_at(std::int64_t step) const {
    const auto window = static_cast<double>((step + options_.accumulation - 1) / options_.accumulation);
    return {static_cast<float>(options_.learning_rate / (1 - std::pow(options_.beta1, window))),
            static_cast<float>(std::sqrt(1 - std::pow(options_.beta2, window)))};
  }

  /// Updates the moments, or adds the gradient to the window's sum, and returns the length of the parameter's
  /// step.
  float step_length(std::size_t element, float gradient, const Corrections& corrections) {
    const float first = first_average_.next(first_moments_[element], gradient);
    const float second = second_average_.next(second_moments_[element], gradient * gradient);
    if (window_sums_.empty()) {
      first_moments_[element] = first;
      second_moments_[element] = second;
    } else {
      window_sums_[element] += gradient;
    }
    return corrections.rate * first / (std::sqrt(second) / corrections.second_root + epsilon_);
  }

  /// At the end of a window of more than one step, advances the moments by the window's mean gradient.
  void advance(std::int64_t first, std::size_t count, std::int64_t step) {
    if (window_sums_.empty() || step % options_.accumulation != 0) return;
    const auto begin = static_cast<std::size_t>(first);
    for (std::size_t element = begin; element < begin + count; ++element) {
      const float mean = window_sums_[element] / static_cast<float>(options_.accumulation);
      first_moments_[element] = first_average_.next(first_moments_[element], mean);
      second_moments_[element] = second_average_.next(second_moments_[element], mean * mean);
      window_sums_[element] = 0;
    }
  }

  OptimizerOptions options_;
  MovingAverage first_average_;
  MovingAverage second_average_;
  float epsilon_;
  std::vector<float> first_moments_;
  std::vector<float> second_moments_;
  std::vector<float> window_sums_;
};

}  // namespace

namespace {

struct NamedKind {
  OptimizerKind kind;
  std::string_view name;
  std::string_view summary;
};

constexpr NamedKind named_kinds[] = {
    {OptimizerKind::sgd, "sgd", "stochastic gradient descent, with or without momentum"},
    {OptimizerKind::adam, "adam", "Adam, whose weight decay is added to the gradient"},
    {OptimizerKind::adamw, "adamw", "AdamW, whose weight decay shrinks the parameters themselves"},
    {OptimizerKind::accum_adam, "accum_adam", "AccumAdam, as published with decentralized Adam"},
};

constexpr Range share_range{.least = 0, .greatest = 1, .excludes_greatest = true};
/// A much smaller ε would be 0 as a float, and a step with gradient 0 would be 0/0.
constexpr double least_epsilon = 1e-38;

void describe_momentum(OptimizerOptions& options, OptionVisitor& visitor) {
  visitor.number({"momentum", "factor on the previous step in the next one"}, options.momentum, share_range);
  visitor.flag({"nesterov", "whether the momentum is Nesterov's; needs a `momentum`"}, options.nesterov);
}

void describe_moments(OptimizerOptions& options, OptionVisitor& visitor) {
  visitor.number({"beta1", "β₁, the decay of the mean of gradients"}, options.beta1, share_range);
  visitor.number({"beta2", "β₂, the decay of the mean of their squares"}, options.beta2, share_range);
  visitor.number({"epsilon", "ε, added to the root of the mean square"}, options.epsilon,
                 {.least = least_epsilon, .greatest = 1});
}

void check_what_no_key_says(const OptimizerOptions& options) {
  if (!std::isfinite(options.learning_rate))
    reject("the learning rate is {}; it must be finite", options.learning_rate);
  if (options.momentum != 0 && options.kind != OptimizerKind::sgd)
    reject("momentum belongs to sgd; {} has beta1", name_of(options.kind));
  if (options.accumulation != 1 && options.kind != OptimizerKind::accum_adam)
    reject("accumulation belongs to accum_adam, not to {}", name_of(options.kind));
}

}  // namespace

std::string_view name_of(OptimizerKind kind) {
  const auto* const found = std::ranges::find(named_kinds, kind, &NamedKind::kind);
  STARLING_INVARIANT(found != std::ranges::end(named_kinds));
  return found->name;
}

void describe(OptimizerOptions& options, OptionVisitor& visitor) {
  Kinds kinds{.noun = "optimizer",
              .all = {},
              .current = [&] { return std::string(name_of(options.kind)); },
              .become =
                  [&](std::string_view name) {
                    options = {.kind = std::ranges::find(named_kinds, name, &NamedKind::name)->kind};
                  },
              .describe =
                  [&](OptionVisitor& inner) {
                    const bool is_sgd = options.kind == OptimizerKind::sgd;
                    is_sgd ? describe_momentum(options, inner) : describe_moments(options, inner);
                    inner.number({"weight_decay", "factor of the decay of parameters towards 0"},
                                 options.weight_decay, {.least = 0, .greatest = 1e6});
                    if (options.kind == OptimizerKind::accum_adam)
                      inner.integer({"accumulation", "number of steps in an accumulation window"},
                                    options.accumulation, {.least = 1});
                    inner.require(!options.nesterov || options.momentum != 0, "",
                                  "nesterov needs a momentum above 0", "");
                  }};
  for (const NamedKind& known : named_kinds)
    kinds.all.push_back({std::string(known.name), std::string(known.summary)});
  visitor.kind(kinds);
}

std::unique_ptr<Optimizer> make_optimizer(OptimizerOptions options, std::int64_t elements) {
  check_options("optimizer", [&](OptionVisitor& visitor) { describe(options, visitor); });
  check_what_no_key_says(options);
  if (options.kind == OptimizerKind::sgd) return std::make_unique<Sgd>(options, elements);
  return std::make_unique<Adam>(options, elements);
}

}  // namespace starling
