#pragma once

#include <span>

#include "sim/routes.hpp"

namespace starling {

/// The greatest flow in bytes per second from the first half of some hosts (the lesser half, if their number
/// is odd) to the others, over links between `vertices` vertices. Exact to 1 B/s for each link.
///
/// Push-relabel (Boost.Graph), O(vertices³) at worst.
/// Reference: Goldberg, Tarjan, "A new approach to the maximum-flow problem", JACM 35(4), 1988.
double flow_between_halves_Bps(std::span<const int> hosts, std::span<const Link> links, int vertices);

}  // namespace starling
