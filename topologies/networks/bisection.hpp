#pragma once

#include <span>

#include "sim/routes.hpp"

namespace starling {

/// The maximum flow, in bytes per second, from the first ⌊n/2⌋ of n `hosts` to the other hosts, over links
/// that join vertices 0 … `vertices` − 1. Link bandwidths are rounded to 1 B/s, or to 2⁻⁶⁰ of their sum where
/// that is more.
///
/// Computed by push-relabel (Boost.Graph), O(vertices³) at worst.
/// Reference: Goldberg, Tarjan, "A new approach to the maximum-flow problem", JACM 35(4), 1988.
double flow_between_halves_Bps(std::span<const int> hosts, std::span<const Link> links, int vertices);

}  // namespace starling
