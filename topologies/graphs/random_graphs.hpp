#pragma once

#include <optional>
#include <vector>

#include "sim/random.hpp"
#include "topologies/graphs/communication_graph_options.hpp"

namespace starling {

/// Undirected edges of a random graph in which every worker has `degree` neighbors; nothing if this attempt
/// led into a dead end. 1 ≤ degree < workers, and workers · degree must be even.
///
/// Pairs up free ends at random, keeps the pairs that make new edges, and goes on with the rest. O(workers ·
/// degree) expected. From half of the workers on, the complement is drawn; degree 2 is a ring in random
/// order.
std::optional<std::vector<GraphEdge>> random_regular_edges(int workers, int degree,
                                                           const CounterRandom& random, int attempt);

/// Undirected edges of a small world after Watts and Strogatz; it may not be connected. neighbors must be
/// even and less than workers.
std::vector<GraphEdge> small_world_edges(int workers, int neighbors, double rewiring_probability,
                                         const CounterRandom& random, int attempt);

}  // namespace starling
