#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "analysis/results/result.hpp"
#include "analysis/running/machine.hpp"
#include "analysis/running/scenario_job.hpp"

namespace starling {

/// Whether the size of the algorithm's buckets is to be found by trying, on the machine that runs it.
bool has_bucket_search(const TrainingOptions& options);

/// How many iterations of each worker a search takes.
std::int64_t bucket_search_iterations();

/// Finds the size, by what `try_out` makes of runs, and makes the algorithm with it; notes in `result` what
/// was found, in place of "auto".
void search_buckets(ScenarioJob& job, std::size_t index,
                    const std::function<Outcome(const PreparedRun& run)>& try_out, RunResult& result);

}  // namespace starling
