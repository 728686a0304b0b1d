#pragma once

#include <cstddef>
#include <memory>

#include "topologies/layouts/fabric.hpp"

namespace starling {

/// Makes a router that finds the shortest paths of any fabric by breadth-first search from the destination
/// (Boost.Graph).
///
/// A search takes O(vertices + cables) and serves one destination, or all hosts that have their only cable to
/// the same switch; each hop of a route then takes O(degree). Distances are cached for the destinations
/// searched last: as many as fit into `kept_bytes`, and at least one.
/// @throws std::invalid_argument if there is no path between two hosts; the text names both.
std::unique_ptr<Router> breadth_first_router(const Fabric& fabric,
                                             std::size_t kept_bytes = std::size_t{64} << 20);

}  // namespace starling
