#pragma once

#include "analysis/running/machine.hpp"
#include "workloads/records/iteration_log.hpp"

namespace starling {

/// The log of a run where messages take no time, or less than a nanosecond, by the recurrence of its
/// algorithm, which must have a model: with the same loads, what free_run() simulates.
IterationLog free_prediction(const PreparedRun& run, int workers);

}  // namespace starling
