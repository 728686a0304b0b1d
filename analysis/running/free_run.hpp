#pragma once

#include <cstddef>

#include "analysis/running/scenario_job.hpp"
#include "io/progress_line.hpp"
#include "topologies/networks/network.hpp"

namespace starling {

/// On which messages take no time, or less than a nanosecond.
Network free_network(int workers);

/// Runs an algorithm of the job with the same draws on a free network: what is left is computing, and
/// waiting for others' computing. Collectives of synchronous algorithms are evaluated, unless the scenario
/// forbids it. `progress` may be null.
Outcome free_run(const ScenarioJob& job, std::size_t index, ProgressLine* progress = nullptr);

}  // namespace starling
