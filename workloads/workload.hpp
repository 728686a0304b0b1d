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

/// A layer: computation, and the tensors (maybe none) whose gradients are ready when its backward pass ends.
struct Layer {
  std::string name;
  std::string type;
  int first_tensor = 0;
  int tensors = 0;
  double forward_flops_per_sample = 0;
};

/// A network to train: its layers and tensors in forward order, as in a model file.
struct Model {
  std::string name;
  std::string source;
  std::vector<Tensor> tensors;
  std::vector<Layer> layers;
  double forward_flops_per_sample = 0;

  std::int64_t parameters() const;
};

/// What one worker computes in one iteration when nothing disturbs it.
struct Workload {
  Model model;
  int batch_size = 0;                // samples per worker and iteration
  std::vector<double> forward_s;     // per layer
  std::vector<double> backward_s;    // per layer
  double optimizer_s_per_byte = 0;   // of parameters
  double bytes_per_element = 4;      // of gradients on the wire

  double forward_total_s() const;
  double backward_total_s() const;
};

/// How a worker's iteration differs from the undisturbed one.
struct Load {
  double delay_s = 0;  // before the forward pass
  double factor = 1;   // on forward and backward times
};

}  // namespace starling
