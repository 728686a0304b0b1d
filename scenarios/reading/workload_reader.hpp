#pragma once

#include "io/json/json_reader.hpp"
#include "scenarios/description/workload_description.hpp"
#include "scenarios/reading/workload_options.hpp"

namespace starling {

/// Reads the files that a scenario's `workload` names. @throws ScenarioError, for the block at `place`.
WorkloadOptions load_workload(const WorkloadDescription& description, const JsonPlace& place, int workers,
                              std::uint64_t seed);

}  // namespace starling
