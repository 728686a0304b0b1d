#pragma once

#include <optional>
#include <vector>

#include "sim/random.hpp"
#include "topologies/graphs/communication_graph_options.hpp"

namespace starling {

/// The undirected edges of a random graph in which every worker has `degree` neighbors; nothing if this
/// attempt reached a dead end. Requires 1 ≤ degree < workers and an even workers · degree. The graph may not
/// be connected.
///
/// Pairs free ends at random, keeps the pairs that make new edges, and repeats this with the remaining ends:
/// expected O(workers · degree). If 2 · degree ≥ workers, the complement is drawn instead. Degree 2 gives a
/// ring in random order.
std::optional<std::vector<GraphEdge>> random_regular_edges(int workers, int degree,
                                                           const CounterRandom& random, int attempt);

/// The undirected edges of a small-world graph (Watts and Strogatz), which may not be connected. `neighbors`
/// must be even and less than `workers`.
std::vector<GraphEdge> small_world_edges(int workers, int neighbors, double rewiring_probability,
                                         const CounterRandom& random, int attempt);

}  // namespace starling
