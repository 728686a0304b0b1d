#pragma once

#include <cstdint>
#include <vector>

#include "scenarios/json_reader.hpp"
#include "workloads/imbalance.hpp"
#include "workloads/workload.hpp"

namespace starling {

/// What a scenario's `workload` says: the work, and what disturbs it.
struct WorkloadOptions {
  Workload workload;
  std::vector<Imbalance> imbalance;
};

/// Reads a scenario's `workload` for that many workers, with the files that it names. @throws ScenarioError.
Normalised<WorkloadOptions> read_workload(const JsonPlace& place, int workers, std::uint64_t seed);

}  // namespace starling
