#pragma once

#include "workloads/models/workload.hpp"

namespace starling {

/// Three layers: 10 + 2 parameters and 600 operations, none and 400, 5 and none. No times yet.
inline Workload small_workload() {
  Workload workload;
  workload.model.name = "small";
  workload.model.tensors = {{"first.weight", 10}, {"first.bias", 2}, {"last.weight", 5}};
  workload.model.layers = {
      {"first", "Linear", 0, 2, 600}, {"middle", "Matmul", 2, 0, 400}, {"last", "Scale", 2, 1, 0}};
  workload.model.forward_flops_per_sample = 1000;
  workload.batch_size = 2;
  return workload;
}

}  // namespace starling
