#include "topologies/graphs/circulant_graph.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <set>

#include "tests/topologies/graphs/graphs.hpp"

namespace starling {
namespace {

using Ranks = std::vector<Rank>;

TEST_CASE("the neighbors in a circulant graph are the ranks at its distances") {
  CHECK(rc::check([] {
    const int workers = *rc::gen::inRange(2, 40);
    const auto distances = *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, workers));
    const CirculantGraph graph(workers, {distances});
    const Rank rank = *rc::gen::inRange(0, workers);
    std::set<Rank> further_on;
    std::set<Rank> further_back;
    for (const int distance : distances) {
      further_on.insert((rank + distance) % workers);
      further_back.insert((rank + workers - distance) % workers);
    }
    RC_ASSERT(graph.out_neighbors(rank, 0) == Ranks(further_on.begin(), further_on.end()));
    RC_ASSERT(graph.in_neighbors(rank, 0) == Ranks(further_back.begin(), further_back.end()));
  }));
}

TEST_CASE("ring graphs have neighbors on both sides or on one") {
  CHECK(graph_of(6, RingGraph{})->neighbors(0, 0) == Ranks{1, 5});
  CHECK(graph_of(2, RingGraph{})->neighbors(0, 0) == Ranks{1});
  CHECK(graph_of(6, RingGraph{RingDirection::left})->out_neighbors(0, 0) == Ranks{5});
  CHECK(graph_of(6, RingGraph{RingDirection::right})->out_neighbors(5, 0) == Ranks{0});
  CHECK(graph_of(2, RingGraph{RingDirection::left})->is_symmetric());
}

TEST_CASE("in the complete graph every worker is a neighbor of every other") {
  const Graph graph = graph_of(4, CompleteGraph{});
  CHECK(graph->neighbors(1, 0) == Ranks{0, 2, 3});
  CHECK(graph->group(1, 0) == Ranks{0, 1, 2, 3});
}

TEST_CASE("in the exponential graph workers send to distances that are powers of its base") {
  CHECK(graph_of(12, ExponentialGraph{})->out_neighbors(10, 0) == Ranks{0, 2, 6, 11});
  CHECK(graph_of(12, ExponentialGraph{})->in_neighbors(0, 0) == Ranks{4, 8, 10, 11});
  CHECK(graph_of(8, ExponentialGraph{})->out_neighbors(0, 0) == Ranks{1, 2, 4});
  CHECK(graph_of(12, ExponentialGraph{.base = 3})->out_neighbors(0, 0) == Ranks{1, 3, 9});
}

TEST_CASE("the symmetric exponential graph has neighbors both ways, at most half-way around") {
  CHECK(graph_of(12, SymmetricExponentialGraph{})->neighbors(0, 0) == Ranks{1, 4, 8, 11});
  CHECK(graph_of(16, SymmetricExponentialGraph{.base = 2})->neighbors(0, 0) == Ranks{1, 2, 4, 8, 12, 14, 15});
}

TEST_CASE("one-peer exponential graphs use the distances of the exponential graph by turns") {
  const Graph shift = graph_of(6, OnePeerExponentialGraph{});
  CHECK(shift->period() == 3);
  CHECK(shift->out_neighbors(5, 0) == Ranks{0});
  CHECK(shift->out_neighbors(5, 1) == Ranks{1});
  CHECK(shift->out_neighbors(5, 2) == Ranks{3});
  CHECK(shift->in_neighbors(5, 2) == Ranks{1});
}

TEST_CASE("one-peer exponential graphs with two peers use the distances two by two") {
  const Graph graph = graph_of(8, OnePeerExponentialGraph{ExponentialPairs::shift, 2});
  CHECK(graph->period() == 3);
  CHECK(graph->out_neighbors(0, 0) == Ranks{1, 2});
  CHECK(graph->out_neighbors(0, 1) == Ranks{1, 4});
  CHECK(graph->out_neighbors(0, 2) == Ranks{2, 4});
}

}  // namespace
}  // namespace starling
