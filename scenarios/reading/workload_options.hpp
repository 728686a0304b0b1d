#pragma once

#include <vector>

#include "workloads/compute/compute_options.hpp"
#include "workloads/imbalance/imbalance_options.hpp"
#include "workloads/models/workload.hpp"

namespace starling {

/// The work, who does it, and what disturbs it.
struct WorkloadOptions {
  Workload workload;
  ComputeKind compute_kind = ComputeKind::emulated;
  std::vector<Imbalance> imbalance;
};

}  // namespace starling
