#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/options/option_visitor.hpp"
#include "workloads/compute/compute_options.hpp"
#include "workloads/imbalance/imbalance_options.hpp"

namespace starling {

/// The block `workload` of a scenario; models, profiles, distributions and traces are named, not read yet.
struct WorkloadDescription {
  std::string model;
  int batch_size = 0;
  int gradient_accumulation_steps = 1;
  ComputeOptions compute;
  std::optional<GradientDtype> gradient_dtype;  // nullopt: default_gradient_dtype(compute)
  std::optional<double> optimizer_rate_Bps;
  std::optional<double> communication_slowdown;
  std::vector<Imbalance> imbalance;
};

/// Describes the workload of a job with `workers`; 0: unknown, and ranks are bounded by most_workers only.
void describe_workload(WorkloadDescription& workload, int workers, OptionVisitor& visitor);

}  // namespace starling
