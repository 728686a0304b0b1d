#pragma once

#include <cstdint>
#include <span>

#include "analysis/results/result.hpp"

namespace starling {

/// Combines a scenario's results with several seeds into one. There must be at least one, with equally many
/// runs each; the last may have fewer, and only so many algorithms are combined.
///
/// Means, quantiles, breakdowns and traffic are means over the results; `std`, `min` and `max` are those of
/// all iterations; participation, learning and everything else that is of one run are the first result's, as
/// is the scenario. The means of algorithms of which other than whole periods are counted
/// (is_of_partial_periods()) have no error, and neither have their speed-ups.
Result combine_replications(std::span<const Result> results, std::span<const std::uint64_t> seeds);

}  // namespace starling
