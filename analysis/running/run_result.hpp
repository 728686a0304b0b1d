#pragma once

#include <cstddef>

#include "analysis/results/result.hpp"
#include "analysis/running/machine.hpp"
#include "analysis/running/scenario_job.hpp"

namespace starling {

/// How sure the mean iteration time of a log of the algorithm of that number is. What still rises or falls,
/// and the mean of other than whole periods, is off by what batches do not tell: neither has an error.
Sampling sampling_of(const ScenarioJob& job, std::size_t index, const IterationLog& log);

/// Sets in `result` what a machine measured of the algorithm of that number: all but its label, its options
/// and how it compares with others.
void describe(const ScenarioJob& job, std::size_t index, const Measurement& measurement, RunResult& result);

}  // namespace starling
