#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace starling {

/// A parameter tensor of a model.
struct Tensor {
  std::string name;
  std::int64_t elements = 0;
};

/// A layer: its computation, and the tensors (possibly none) whose gradients are ready when its backward pass
/// ends.
struct Layer {
  std::string name;
  std::string type;
  int first_tensor = 0;
  int tensors = 0;
  double forward_flops_per_sample = 0;
};

/// Layers first … end−1 in forward order.
struct LayerRange {
  int first = 0;
  int end = 0;
};

/// A network to train: its layers and tensors in forward (registration) order.
struct Model {
  std::string name;
  std::string source;
  std::vector<Tensor> tensors;
  std::vector<Layer> layers;
  double forward_flops_per_sample = 0;

  std::int64_t parameters() const;
  /// The names of the layers for a text: "conv1" or "conv1 to fc"; empty for no layers.
  std::string names_of(LayerRange range) const;

  /// @throws std::invalid_argument unless there is a layer, the layers hold all tensors in order, each tensor
  /// in one layer, and no count of elements or floating-point operations is negative.
  void validate() const;
};

/// A model with the times that its layers take in one worker's iteration when nothing disturbs it.
struct Workload {
  Model model;
  int batch_size = 0;              // samples per worker and pass
  int accumulation_steps = 1;      // micro-batches (forward and backward passes) per iteration, see Trainer
  std::vector<double> forward_s;   // seconds of each layer in one forward pass
  std::vector<double> backward_s;  // seconds of each layer in one backward pass
  std::string compute_source;      // where these times come from, as a text for users
  std::string compute_warning;  // why they may be far off, as a text for users; empty if there is no reason
  double optimizer_s_per_byte = 0;  // time of the update per byte of parameters
  double bytes_per_element = 4;     // size of an element of gradients and models in messages
  double bytes_per_parameter = 4;   // size of a parameter that the optimizer updates
  /// While a simulated worker communicates, its computation takes 1 + communication_slowdown times as long.
  double communication_slowdown = 0;

  double forward_total_s() const;
  double backward_total_s() const;
  /// The time of all passes of an iteration, forward and backward, which load imbalance scales.
  double compute_total_s() const { return accumulation_steps * (forward_total_s() + backward_total_s()); }
  /// The time of all passes of an iteration except for the last backward pass, during which gradients are
  /// sent.
  double before_last_backward_s() const {
    return accumulation_steps * forward_total_s() + (accumulation_steps - 1) * backward_total_s();
  }
  /// The number of samples that one worker processes in an iteration.
  double samples_per_iteration() const { return static_cast<double>(batch_size) * accumulation_steps; }

  std::int64_t parameters() const { return model.parameters(); }
  /// The seconds that updating this number of parameters takes: elements · bytes_per_parameter ·
  /// optimizer_s_per_byte.
  double update_s(std::int64_t elements) const;

  /// @throws std::invalid_argument if the model is not valid, there is not one time per layer, or a number is
  /// out of its range: batch size, accumulation steps and bytes per element above 0; times,
  /// optimizer_s_per_byte and communication_slowdown finite and at least 0.
  void validate() const;
};

/// How a worker's iteration differs from the undisturbed one.
struct Load {
  double delay_s = 0;  // before the forward pass
  double factor = 1;   // on forward and backward times
};

}  // namespace starling
