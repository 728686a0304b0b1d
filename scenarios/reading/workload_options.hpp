#pragma once

#include <vector>

#include "workloads/compute/compute_options.hpp"
#include "workloads/imbalance/imbalance_options.hpp"
#include "workloads/models/workload.hpp"

namespace starling {

/// A workload with its files read: model and compute times, the kind of computing, and imbalance.
struct WorkloadOptions {
  Workload workload;
  ComputeKind compute_kind = ComputeKind::emulated;
  std::vector<Imbalance> imbalance;
};

}  // namespace starling
