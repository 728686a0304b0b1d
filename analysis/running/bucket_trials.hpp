#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "analysis/results/result.hpp"
#include "analysis/running/machine.hpp"
#include "analysis/running/scenario_job.hpp"

namespace starling {

/// Whether the algorithm's bucket size is to be found by trials, on the machine that runs it.
bool has_bucket_search(const TrainingOptions& options);

/// How many iterations each worker runs in a search, at most.
std::int64_t bucket_search_iterations();

/// Finds the bucket size with the shortest iterations in the trials that `run_trial` runs, remakes the job's
/// algorithm with it, and replaces "auto" in the algorithm block of `result` by it and the trials.
void search_buckets(ScenarioJob& job, std::size_t index,
                    const std::function<Outcome(const PreparedRun& run)>& run_trial, RunResult& result);

}  // namespace starling
