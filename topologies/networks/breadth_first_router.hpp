#pragma once

#include <cstddef>
#include <memory>

#include "topologies/layouts/fabric.hpp"

namespace starling {

/// Finds the shortest paths of any fabric by breadth-first search from the destination (Boost.Graph).
///
/// O(vertices + cables) for each new destination, or for all hosts with one cable of a switch together, then
/// O(degree) for each vertex on the way. The distances to the destinations asked for last are kept, as many
/// as fit into `kept_bytes`, but those to one in any case.
/// @throws std::invalid_argument if some host cannot be reached from another; the text names both.
std::unique_ptr<Router> breadth_first_router(const Fabric& fabric,
                                             std::size_t kept_bytes = std::size_t{64} << 20);

}  // namespace starling
