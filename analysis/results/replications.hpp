#pragma once

#include <cstdint>
#include <span>

#include "analysis/results/result.hpp"

namespace starling {

/// What a scenario's results with several seeds say together: of one scenario, at least one result, with as
/// many runs each, or fewer in the last one: then of so many algorithms. Means, breakdowns and traffic are
/// means over the results, quantiles too; `std`, `min` and `max` are those of all iterations; participation,
/// learning and whatever else is of one run are the first result's, as the scenario is. How sure the means
/// are, and the speed-ups that come from them, is not told of an algorithm of which other than whole periods
/// are counted (is_of_partial_periods()).
Result combine_replications(std::span<const Result> results, std::span<const std::uint64_t> seeds);

}  // namespace starling
