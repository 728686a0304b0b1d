#pragma once

#include "io/json/json_reader.hpp"
#include "scenarios/description/workload_description.hpp"
#include "scenarios/reading/workload_options.hpp"

namespace starling {

/// Makes the workload of `description`, the block at `place`, and reads the files that it names.
/// @throws ScenarioError.
WorkloadOptions load_workload(const WorkloadDescription& description, const JsonPlace& place, int workers,
                              std::uint64_t seed);

}  // namespace starling
