#pragma once

#include <vector>

#include "workloads/imbalance/imbalance.hpp"
#include "workloads/models/workload.hpp"

namespace starling {

/// What computes where a scenario is run for real: a timer in place of a GPU, or matrix products on a core.
enum class ComputeKind { emulated, gemm };

/// What a scenario's `workload` says: the work, who does it, and what disturbs it.
struct WorkloadOptions {
  Workload workload;
  ComputeKind compute_kind = ComputeKind::emulated;
  std::vector<Imbalance> imbalance;
};

}  // namespace starling
