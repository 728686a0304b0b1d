#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "topologies/graphs/communication_graph.hpp"
#include "topologies/graphs/mixing_matrix.hpp"

namespace starling {

using Graph = std::unique_ptr<CommunicationGraph>;

inline Graph graph_of(int workers, CommunicationGraphKind kind, int workers_per_host = 1,
                      std::uint64_t seed = 1) {
  return build_communication_graph(
      {.workers = workers, .workers_per_host = workers_per_host, .kind = std::move(kind), .seed = seed});
}

inline MixingMatrix matrix_of(int workers, CommunicationGraphKind kind,
                              MixingRule rule = MixingRule::automatic) {
  return MixingMatrix(graph_of(workers, std::move(kind)), rule);
}

/// Every kind of graph that needs no file, in sizes that reach odd and even, wrapping and degenerate cases.
inline std::vector<std::pair<std::string, Graph>> graphs_of_every_kind() {
  std::vector<std::pair<std::string, Graph>> graphs;
  const auto add = [&](const std::string& name, Graph graph) { graphs.emplace_back(name, std::move(graph)); };
  add("one worker", graph_of(1, RingGraph{}));
  add("ring of 2", graph_of(2, RingGraph{}));
  add("odd ring", graph_of(7, RingGraph{}));
  add("ring to the left", graph_of(6, RingGraph{RingDirection::left}));
  add("ring to the right", graph_of(6, RingGraph{RingDirection::right}));
  add("star", graph_of(5, StarGraph{.center = 2}));
  add("complete", graph_of(6, CompleteGraph{}));
  add("mesh", graph_of(12, Mesh2dGraph{}));
  add("mesh of one row", graph_of(7, Mesh2dGraph{}));
  add("torus", graph_of(24, TorusGraph{{4, 3, 2}}));
  add("torus by default", graph_of(20, TorusGraph{}));
  add("hypercube", graph_of(16, HypercubeGraph{}));
  add("exponential", graph_of(12, ExponentialGraph{}));
  add("exponential of base 3", graph_of(11, ExponentialGraph{.base = 3}));
  add("symmetric exponential", graph_of(12, SymmetricExponentialGraph{}));
  add("symmetric exponential of base 2", graph_of(16, SymmetricExponentialGraph{.base = 2}));
  add("one peer, exchanging", graph_of(8, OnePeerExponentialGraph{}));
  add("one peer, shifting", graph_of(12, OnePeerExponentialGraph{}));
  add("two peers, shifting", graph_of(12, OnePeerExponentialGraph{ExponentialPairs::shift, 2}));
  add("three peers, exchanging", graph_of(16, OnePeerExponentialGraph{ExponentialPairs::exchange, 3}));
  add("one-peer ring", graph_of(10, OnePeerRingGraph{}));
  add("one-peer ring of 2", graph_of(2, OnePeerRingGraph{}));
  add("alternating", graph_of(24, AlternatingExponentialRingGraph{}, 3));
  add("alternating with 2 hosts", graph_of(8, AlternatingExponentialRingGraph{}, 4));
  add("alternating with single workers", graph_of(16, AlternatingExponentialRingGraph{}));
  add("random regular", graph_of(20, RandomRegularGraph{}));
  add("random regular, dense", graph_of(11, RandomRegularGraph{.degree = 8}));
  add("small world", graph_of(20, SmallWorldGraph{}));
  add("edge list", graph_of(5, EdgeListGraph{{{0, 1, {}}, {1, 2, {}}, {2, 3, {}}, {3, 4, {}}, {1, 4, {}}}}));
  add("directed edge list",
      graph_of(4, EdgeListGraph{{{0, 1, {}}, {1, 2, {}}, {2, 3, {}}, {3, 0, {}}, {0, 2, {}}}, true}));
  return graphs;
}

}  // namespace starling
