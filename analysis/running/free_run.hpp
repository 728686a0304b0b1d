#pragma once

#include <cstddef>

#include "analysis/running/scenario_job.hpp"
#include "io/progress_line.hpp"

namespace starling {

/// Runs an algorithm of the job with the same draws where messages take no time (or less than a nanosecond):
/// what is left is computing, and waiting for others' computing. Collectives of synchronous algorithms are
/// evaluated, unless the scenario forbids it. `progress` may be null.
Outcome free_run(const ScenarioJob& job, std::size_t index, ProgressLine* progress = nullptr);

}  // namespace starling
