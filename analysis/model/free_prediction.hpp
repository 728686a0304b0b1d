#pragma once

#include <cstddef>

#include "analysis/running/scenario_job.hpp"
#include "workloads/records/iteration_log.hpp"

namespace starling {

/// The log of an algorithm of the job where messages take no time, or less than a nanosecond, by its
/// recurrence; it must have a model. With the same loads, what free_run() simulates.
IterationLog free_prediction(const ScenarioJob& job, std::size_t index);

}  // namespace starling
