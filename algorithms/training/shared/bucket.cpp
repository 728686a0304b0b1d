#include "algorithms/training/shared/bucket.hpp"

#include <algorithm>

namespace starling {
namespace {

double bytes_of(const Workload& workload, TensorRange range) {
  double bytes = 0;
  for (int tensor = range.first; tensor < range.first + range.count; ++tensor) {
    bytes += static_cast<double>(workload.model.tensors[static_cast<std::size_t>(tensor)].elements) *
             workload.bytes_per_element;
  }
  return bytes;
}

TensorRange tensors_of(const Layer& layer) { return {.first = layer.first_tensor, .count = layer.tensors}; }

/// Layers that have tensors, in forward order.
std::vector<int> layers_with_tensors(const Model& model) {
  std::vector<int> layers;
  for (std::size_t layer = 0; layer < model.layers.size(); ++layer) {
    if (model.layers[layer].tensors > 0) layers.push_back(static_cast<int>(layer));
  }
  return layers;
}

/// The end of every layer's backward pass, in seconds since the whole backward pass began.
std::vector<double> ready_times(const Workload& workload) {
  std::vector<double> ready(workload.backward_s.size());
  double now = 0;
  for (std::size_t layer = ready.size(); layer-- > 0;) ready[layer] = now += workload.backward_s[layer];
  return ready;
}

}  // namespace

std::vector<int> tensor_layers(const Model& model) {
  std::vector<int> layers(model.tensors.size());
  for (const int index : layers_with_tensors(model)) {
    const Layer& layer = model.layers[static_cast<std::size_t>(index)];
    std::fill_n(layers.begin() + layer.first_tensor, layer.tensors, index);
  }
  return layers;
}

LayerRange layers_of(const Model& model, TensorRange tensors) {
  if (tensors.count == 0) return {};
  const auto end_with = [&](int tensor) {
    const auto next = std::ranges::upper_bound(model.layers, tensor, {}, &Layer::first_tensor);
    return static_cast<int>(next - model.layers.begin());
  };
  return {end_with(tensors.first) - 1, end_with(tensors.first + tensors.count - 1)};
}

std::vector<Bucket> single_bucket(const Model& model) {
  if (model.tensors.empty()) return {};
  return {{.tensors = {.first = 0, .count = static_cast<int>(model.tensors.size())}, .ready_layer = 0}};
}

std::vector<Bucket> bucket_per_tensor(const Model& model) {
  const std::vector<int> layers = tensor_layers(model);
  std::vector<Bucket> buckets;
  for (int tensor = static_cast<int>(model.tensors.size()); tensor-- > 0;) {
    buckets.push_back({{.first = tensor, .count = 1}, layers[static_cast<std::size_t>(tensor)]});
  }
  return buckets;
}

std::vector<Bucket> ddp_buckets(const Workload& workload, double bucket_bytes, double first_bucket_bytes) {
  std::vector<Bucket> buckets;
  bool is_closed = true;
  double bytes = 0;  // in the last bucket
  for (const Bucket& tensor : bucket_per_tensor(workload.model)) {
    bytes = (is_closed ? 0 : bytes) + bytes_of(workload, tensor.tensors);
    if (is_closed) {
      buckets.push_back(tensor);
    } else {
      buckets.back() = {{.first = tensor.tensors.first, .count = buckets.back().tensors.count + 1},
                        tensor.ready_layer};
    }
    const double limit = buckets.size() == 1 ? first_bucket_bytes : bucket_bytes;
    is_closed = bytes >= limit;
  }
  return buckets;
}

std::vector<Bucket> merged_buckets(const Workload& workload, const AllreduceTime& allreduce) {
  const std::vector<int> layers = layers_with_tensors(workload.model);
  const std::vector<double> ready = ready_times(workload);
  std::vector<Bucket> buckets;
  double communication_end = 0;  // when the all-reduces of all closed buckets are complete
  bool is_closed = true;
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    const auto index = static_cast<std::size_t>(*layer);
    const TensorRange tensors = tensors_of(workload.model.layers[index]);
    if (is_closed) {
      buckets.push_back({tensors, *layer});
    } else {
      buckets.back() = {{tensors.first, buckets.back().tensors.count + tensors.count}, *layer};
    }
    if (layer + 1 == layers.rend()) break;

    const double start = std::max(ready[index], communication_end);
    is_closed = !(ready[static_cast<std::size_t>(*(layer + 1))] - start < allreduce.start_up_s);
    if (is_closed) communication_end = start + allreduce.of(bytes_of(workload, buckets.back().tensors));
  }
  return buckets;
}

std::vector<LayerGroup> layer_groups(const Workload& workload, double bucket_bytes) {
  std::vector<LayerGroup> groups;
  double bytes = 0;
  for (const int index : layers_with_tensors(workload.model)) {
    const Layer& layer = workload.model.layers[static_cast<std::size_t>(index)];
    const double layer_bytes = bytes_of(workload, tensors_of(layer));
    if (!groups.empty() && bytes + layer_bytes < bucket_bytes) {
      groups.back().tensors.count += layer.tensors;
      bytes += layer_bytes;
    } else {
      if (!groups.empty()) groups.back().end_layer = index;
      groups.push_back({index, 0, tensors_of(layer)});
      bytes = layer_bytes;
    }
  }
  if (!groups.empty()) groups.back().end_layer = static_cast<int>(workload.model.layers.size());
  return groups;
}

std::int64_t padded(std::int64_t elements, int workers) {
  return (elements + workers - 1) / workers * workers;
}

}  // namespace starling
