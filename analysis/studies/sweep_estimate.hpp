#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/studies/sweep_run.hpp"

namespace starling {

/// A combination of a sweep that stands for others, with how long a run of it takes.
struct SampledRun {
  double usual_s = 0;  // about, by what it sends (JobDemand); 0 where that is not known
  std::optional<double> measured_s = {};
};

/// Which of so many stand for all: no more than `most`, evenly spread, the first and the last among them.
std::vector<std::int64_t> spread_over(std::int64_t count, std::int64_t most);

/// Which of these should be measured: the first, the one in the middle, the last, and the one that usually
/// takes longest, but none that usually takes longer than `most_s`. Ascending.
std::vector<std::size_t> to_measure(std::span<const SampledRun> runs, double most_s);

/// The mean time of a run. What was not measured takes as many times its usual time as all that were took
/// together, but no less than the shortest of these; the mean of these where no usual time is known.
double mean_time_s(std::span<const SampledRun> runs);

/// About how long all runs of a sweep's shard take, one after the other: by running a few combinations
/// (to_measure), which are not kept, and by what others usually take.
double time_of_runs_s(const SweepPlan& plan, const SweepOptions& options);

}  // namespace starling
