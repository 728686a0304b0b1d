#include "workloads/models/workload.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <string>
#include <string_view>

#include "base/reject.hpp"

namespace starling {

namespace {

void validate_layer(const Layer& layer, int expected_first_tensor) {
  if (layer.tensors < 0) reject("layer {} has {} tensors", layer.name, layer.tensors);
  if (layer.first_tensor != expected_first_tensor) {
    reject("layer {} begins with tensor {}, but the next tensor of the model is {}", layer.name,
           layer.first_tensor, expected_first_tensor);
  }
  if (!std::isfinite(layer.forward_flops_per_sample) || layer.forward_flops_per_sample < 0) {
    reject("layer {} has {} floating-point operations per sample; it needs a finite number, 0 or more",
           layer.name, layer.forward_flops_per_sample);
  }
}

void validate_times(const std::vector<double>& times_s, std::string_view pass, const Model& model) {
  if (times_s.size() != model.layers.size()) {
    reject("there are {} {} times for {} layers", times_s.size(), pass, model.layers.size());
  }
  for (std::size_t layer = 0; layer < times_s.size(); ++layer) {
    if (!std::isfinite(times_s[layer]) || times_s[layer] < 0) {
      reject("the {} time of layer {} is {} s; it must be finite and not negative", pass,
             model.layers[layer].name, times_s[layer]);
    }
  }
}

}  // namespace

std::int64_t Model::parameters() const {
  return std::accumulate(tensors.begin(), tensors.end(), std::int64_t{0},
                         [](std::int64_t sum, const Tensor& tensor) { return sum + tensor.elements; });
}

std::string Model::names_of(LayerRange range) const {
  if (range.first >= range.end) return {};
  const std::string& first = layers[static_cast<std::size_t>(range.first)].name;
  if (range.end - range.first == 1) return first;
  return fmt::format("{} to {}", first, layers[static_cast<std::size_t>(range.end) - 1].name);
}

void Model::validate() const {
  if (layers.empty()) reject("model {} has no layers", name);
  for (const Tensor& tensor : tensors) {
    if (tensor.elements < 0) reject("tensor {} has {} elements", tensor.name, tensor.elements);
  }
  int next_tensor = 0;
  for (const Layer& layer : layers) {
    validate_layer(layer, next_tensor);
    next_tensor += layer.tensors;
  }
  if (next_tensor != static_cast<int>(tensors.size())) {
    reject("the layers of model {} hold {} of its {} tensors", name, next_tensor, tensors.size());
  }
}

double Workload::forward_total_s() const { return std::accumulate(forward_s.begin(), forward_s.end(), 0.0); }

double Workload::backward_total_s() const {
  return std::accumulate(backward_s.begin(), backward_s.end(), 0.0);
}

double Workload::update_s(std::int64_t elements) const {
  return static_cast<double>(elements) * bytes_per_parameter * optimizer_s_per_byte;
}

void Workload::validate() const {
  model.validate();
  if (batch_size <= 0) reject("the batch size is {}; it must be at least 1", batch_size);
  if (accumulation_steps <= 0) reject("accumulation_steps is {}; it must be at least 1", accumulation_steps);
  if (!std::isfinite(bytes_per_element) || bytes_per_element <= 0) {
    reject("an element has {} bytes; it must be a finite number above 0", bytes_per_element);
  }
  if (!std::isfinite(optimizer_s_per_byte) || optimizer_s_per_byte < 0) {
    reject("the optimizer takes {} s per byte; it must be finite and not negative", optimizer_s_per_byte);
  }
  if (!std::isfinite(communication_slowdown) || communication_slowdown < 0) {
    reject("communication slows computing down by {}; it must be finite and not negative",
           communication_slowdown);
  }
  validate_times(forward_s, "forward", model);
  validate_times(backward_s, "backward", model);
}

}  // namespace starling
