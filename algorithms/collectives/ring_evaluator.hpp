#pragma once

#include <optional>
#include <span>
#include <vector>

#include "algorithms/collectives/evaluator.hpp"
#include "algorithms/collectives/ring.hpp"

namespace starling {

/// The evaluator for a ring whose messages share no link with others: all ranks step by step over contiguous
/// arrays.
///
/// As messages from r to r+1 have their route to themselves, the route acts as one link with the sum of its
/// latencies and its least bandwidth. Empty if two routes share a link, or if there are fewer elements than
/// ranks.
std::optional<Evaluation> evaluate_ring(const RingSchedule& schedule, std::span<const double> begin_s,
                                        double bytes_per_element, std::span<const Rank> members,
                                        const Routes& routes, const EndCosts& costs);

}  // namespace starling
