#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/studies/sweep_run.hpp"

namespace starling {

/// A combination that is sampled to estimate the time of a sweep, and how long a run of it takes.
struct SampledRun {
  double estimated_s = 0;  // the rough estimate of demand_of() (JobDemand::estimate); 0 if there is none
  std::optional<double> measured_s = {};  // if it was run
};

/// At most `most` of the numbers 0 … count − 1, evenly spaced from the first to the last, ascending.
std::vector<std::int64_t> spread_over(std::int64_t count, std::int64_t most);

/// The indices of the samples to measure, ascending: the first, the middle, the last, and the one with the
/// greatest `estimated_s`, but none whose `estimated_s` exceeds `most_s`.
std::vector<std::size_t> to_measure(std::span<const SampledRun> runs, double most_s);

/// The mean time of a run, in seconds; 0 without samples. A sample that was not measured counts with its
/// `estimated_s` times the ratio of measured to estimated time, summed over the measured samples that have
/// both, but with no less than the shortest measured time; with the mean measured time if it has no
/// `estimated_s`.
double mean_time_s(std::span<const SampledRun> runs);

/// Estimates how long all runs of a sweep's shard take one after the other, in seconds, from up to 64
/// combinations. Runs a few of them (to_measure(), none that should take more than a minute) without keeping
/// their results.
double time_of_runs_s(const SweepPlan& plan, const SweepOptions& options);

}  // namespace starling
