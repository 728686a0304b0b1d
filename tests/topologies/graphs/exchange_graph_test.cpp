#include "topologies/graphs/exchange_graph.hpp"

#include <doctest/doctest.h>

#include <bit>

#include "tests/topologies/graphs/graphs.hpp"

namespace starling {
namespace {

using Ranks = std::vector<Rank>;

TEST_CASE("neighbors on a hypercube differ in one bit") {
  const Graph cube = graph_of(16, HypercubeGraph{});
  for (Rank rank = 0; rank < 16; ++rank) {
    CHECK(cube->out_degree(rank, 0) == 4);
    for (const Rank neighbor : cube->neighbors(rank, 0)) {
      CHECK(std::popcount(static_cast<unsigned>(rank ^ neighbor)) == 1);
    }
  }
  CHECK(graph_of(1, HypercubeGraph{})->neighbors(0, 0).empty());
}

TEST_CASE("peers in the one-peer exponential graph of 2^k workers exchange along one bit after the other") {
  const Graph graph = graph_of(8, OnePeerExponentialGraph{});
  CHECK(graph->period() == 3);
  CHECK(graph->group(5, 0) == Ranks{4, 5});
  CHECK(graph->group(5, 1) == Ranks{5, 7});
  CHECK(graph->group(5, 2) == Ranks{1, 5});
  CHECK(graph->group(5, 3) == Ranks{4, 5});
  CHECK(graph_of(1, OnePeerExponentialGraph{})->group(0, 0) == Ranks{0});
}

}  // namespace
}  // namespace starling
