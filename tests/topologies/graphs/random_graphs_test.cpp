#include "topologies/graphs/random_graphs.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>

#include "tests/topologies/graphs/graphs.hpp"

namespace starling {
namespace {

TEST_CASE("a random regular graph gives every worker its degree, for every degree there is") {
  CHECK(rc::check([] {
    const int workers = *rc::gen::inRange(4, 40);
    const int degree = *rc::gen::inRange(2, workers);
    RC_PRE(workers * degree % 2 == 0);
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const Graph graph = graph_of(workers, RandomRegularGraph{degree}, 1, seed);
    for (Rank rank = 0; rank < workers; ++rank) RC_ASSERT(graph->out_degree(rank, 0) == degree);
    RC_ASSERT(graph->is_symmetric());
  }));
}

TEST_CASE("the same seed gives the same random graph, another seed another") {
  for (const CommunicationGraphKind& kind :
       {CommunicationGraphKind(RandomRegularGraph{4}), CommunicationGraphKind(SmallWorldGraph{})}) {
    const Graph first = graph_of(64, kind, 1, 7);
    const Graph again = graph_of(64, kind, 1, 7);
    const Graph other = graph_of(64, kind, 1, 8);
    int same = 0;
    for (Rank rank = 0; rank < 64; ++rank) {
      CHECK(first->neighbors(rank, 0) == again->neighbors(rank, 0));
      same += first->neighbors(rank, 0) == other->neighbors(rank, 0);
    }
    CHECK(same < 64);
  }
}

TEST_CASE("every pair is joined equally often over many random regular graphs") {
  constexpr int workers = 8;
  constexpr int draws = 2000;
  std::vector<int> joined(workers * workers);
  for (int seed = 0; seed < draws; ++seed) {
    const Graph graph = graph_of(workers, RandomRegularGraph{3}, 1, static_cast<std::uint64_t>(seed));
    for (Rank rank = 0; rank < workers; ++rank) {
      for (const Rank neighbor : graph->neighbors(rank, 0))
        ++joined[static_cast<std::size_t>(rank * workers + neighbor)];
    }
  }
  // A pair is joined with probability 3/7; five standard deviations of a binomial count.
  const double expected = draws * 3.0 / 7;
  const double tolerance = 5 * std::sqrt(expected * 4 / 7);
  for (Rank one = 0; one < workers; ++one) {
    for (Rank other = one + 1; other < workers; ++other) {
      CHECK(std::abs(joined[static_cast<std::size_t>(one * workers + other)] - expected) < tolerance);
    }
  }
}

TEST_CASE("a large random regular graph of ten neighbors is found") {
  const Graph graph = graph_of(5000, RandomRegularGraph{10});
  int edges = 0;
  for (Rank rank = 0; rank < 5000; ++rank) edges += graph->out_degree(rank, 0);
  CHECK(edges == 50'000);
}

TEST_CASE("a small world keeps its number of edges, and those nearest neighbors that are not rewired") {
  const CounterRandom random(3, Purpose::graph);
  const std::vector<GraphEdge> edges = small_world_edges(1000, 4, 0.25, random, 0);
  CHECK(edges.size() == 2000);
  const auto moved = std::count_if(edges.begin(), edges.end(), [](const GraphEdge& edge) {
    const int distance = (edge.destination - edge.source + 1000) % 1000;
    return distance != 1 && distance != 2;
  });
  // 2000 coins of probability 0.25: five standard deviations are 97.
  CHECK(std::abs(static_cast<double>(moved) - 500) < 97);
}

TEST_CASE(
    "a small world without rewiring is a ring of nearest neighbors, and one of all neighbors is complete") {
  const Graph ring = graph_of(9, SmallWorldGraph{.neighbors = 4, .rewiring_probability = 0});
  CHECK(ring->neighbors(0, 0) == std::vector<Rank>{1, 2, 7, 8});
  const Graph full = graph_of(5, SmallWorldGraph{.neighbors = 4, .rewiring_probability = 1});
  CHECK(full->neighbors(0, 0) == std::vector<Rank>{1, 2, 3, 4});
}

}  // namespace
}  // namespace starling
