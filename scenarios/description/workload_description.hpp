#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/options/option_visitor.hpp"
#include "workloads/compute/compute_options.hpp"
#include "workloads/imbalance/imbalance_options.hpp"

namespace starling {

/// What a scenario's `workload` says; models, profiles, distributions and traces are still names.
struct WorkloadDescription {
  std::string model;
  int batch_size = 0;
  int gradient_accumulation_steps = 1;
  ComputeOptions compute;
  std::optional<GradientDtype> gradient_dtype;  // that of the precision if it is left out
  std::optional<double> optimizer_rate_Bps;
  std::optional<double> communication_slowdown;
  std::vector<Imbalance> imbalance;
};

/// Describes the workload of so many workers; without workers, what depends on their number is unknown.
void describe_workload(WorkloadDescription& workload, int workers, OptionVisitor& visitor);

}  // namespace starling
