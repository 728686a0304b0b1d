#pragma once

#include <cstdint>

#include "io/json_reader.hpp"
#include "scenarios/reading/workload_options.hpp"

namespace starling {

/// Reads a scenario's `workload` for that many workers, with the files that it names. @throws ScenarioError.
Normalized<WorkloadOptions> read_workload(const JsonPlace& place, int workers, std::uint64_t seed);

}  // namespace starling
