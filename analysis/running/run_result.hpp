#pragma once

#include <cstddef>

#include "analysis/results/result.hpp"
#include "analysis/running/machine.hpp"
#include "analysis/running/scenario_job.hpp"

namespace starling {

/// The mean iteration time in a log of the algorithm with that index, and its standard error. There is none
/// where iteration times still drift, or other than whole periods are counted: such a mean is biased, which
/// no standard error shows.
Sampling sampling_of(const ScenarioJob& job, std::size_t index, const IterationLog& log);

/// Fills `result` with the measurement of the algorithm with that index: all but its label, its options and
/// its comparison with other algorithms.
void describe(const ScenarioJob& job, std::size_t index, const Measurement& measurement, RunResult& result);

}  // namespace starling
