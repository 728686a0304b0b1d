#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "analysis/results/result.hpp"
#include "analysis/running/machine.hpp"
#include "analysis/running/scenario_job.hpp"

namespace starling {

/// Finds the size, by what `try_out` makes of runs, and makes the algorithm with it; notes in `result` what
/// was found, in place of "auto".
void search_buckets(ScenarioJob& job, std::size_t index,
                    const std::function<Outcome(const PreparedRun& run)>& try_out, RunResult& result);

}  // namespace starling
