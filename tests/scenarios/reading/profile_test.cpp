#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "io/data_directory.hpp"
#include "scenarios/reading/model_file.hpp"
#include "tests/rounding.hpp"
#include "workloads/compute/compute_times.hpp"

namespace starling {

namespace {

Workload profiled(const std::string& model, int batch_size, const std::string& precision) {
  Workload workload;
  workload.model = read_model_file(model_directory() / (model + ".json"));
  workload.batch_size = batch_size;
  const auto file = profile_directory() / (model + "_h100_" + precision + ".json");
  set_compute_times(workload, read_profile_file(file, workload.model, batch_size));
  return workload;
}

/// The same total times, split over layers by operations.
Workload split_by_operations(const Workload& measured) {
  Workload workload = measured;
  set_compute_times(workload, TotalTimes{measured.forward_total_s(), measured.backward_total_s()});
  return workload;
}

/// When each layer's gradients are complete: seconds since the backward pass began.
std::vector<double> completion_s(const Workload& workload) {
  std::vector<double> complete_s(workload.backward_s.size());
  double now_s = 0;
  for (std::size_t layer = complete_s.size(); layer-- > 0;)
    complete_s[layer] = now_s += workload.backward_s[layer];
  return complete_s;
}

/// The mean difference over all elements between the times at which their gradients are complete under two
/// workloads, as a share of the backward pass.
double mean_difference(const Workload& one, const Workload& other) {
  const std::vector<double> one_s = completion_s(one);
  const std::vector<double> other_s = completion_s(other);
  const Model& model = one.model;
  double sum_s = 0;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const Layer& layer = model.layers[i];
    for (int tensor = layer.first_tensor; tensor < layer.first_tensor + layer.tensors; ++tensor) {
      const auto elements = static_cast<double>(model.tensors[static_cast<std::size_t>(tensor)].elements);
      sum_s += elements * std::abs(one_s[i] - other_s[i]);
    }
  }
  return sum_s / (static_cast<double>(model.parameters()) * one.backward_total_s());
}

TEST_CASE("splitting by operations is as far from measured layers as workloads/profiles/README.md says") {
  struct Row {
    std::string model;
    int batch_size;
    std::string precision;
    double per_cent;
  };
  for (const auto& [model, batch_size, precision, per_cent] :
       {Row{"bert_base", 128, "fp32", 1.2}, Row{"bert_large", 64, "fp32", 0.5},
        Row{"densenet201", 64, "fp32", 4.8}, Row{"gpt2_small", 8, "fp32", 0.6},
        Row{"inceptionv4", 64, "fp32", 1.3}, Row{"resnet50", 128, "fp32", 4.5}, Row{"vgg16", 64, "fp32", 1.2},
        Row{"bert_base", 128, "bf16", 4.0}, Row{"bert_large", 64, "bf16", 2.3},
        Row{"densenet201", 64, "bf16", 6.2}, Row{"gpt2_small", 8, "bf16", 1.8},
        Row{"inceptionv4", 64, "bf16", 3.3}, Row{"resnet50", 128, "bf16", 9.2},
        Row{"vgg16", 64, "bf16", 4.2}}) {
    CAPTURE(model);
    CAPTURE(precision);
    const Workload measured = profiled(model, batch_size, precision);
    CHECK(measured.compute_source == "measured for every layer");
    CHECK(std::round(1000 * mean_difference(measured, split_by_operations(measured))) / 10 == per_cent);
  }
}

}  // namespace

}  // namespace starling
