#include "topologies/graphs/stored_graph.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "base/errors.hpp"
#include "tests/topologies/graphs/graphs.hpp"

namespace starling {
namespace {

using Ranks = std::vector<Rank>;

TEST_CASE("an undirected edge runs both ways, a directed one as given") {
  const std::vector<GraphEdge> edges = {{0, 2, {}}, {2, 1, {}}, {1, 0, {}}};
  const Graph undirected = graph_of(3, EdgeListGraph{edges});
  const Graph directed = graph_of(3, EdgeListGraph{edges, true});
  CHECK(undirected->neighbors(0, 0) == Ranks{1, 2});
  CHECK(directed->out_neighbors(0, 0) == Ranks{2});
  CHECK(directed->in_neighbors(0, 0) == Ranks{1});
  CHECK_FALSE(directed->has_weights());
  CHECK_THROWS_AS(directed->given_weight(0, 1), InvariantError);
}

TEST_CASE("edge weights belong to the direction of their edge, and the own weight is the rest to 1") {
  const Graph graph = graph_of(2, EdgeListGraph{{{0, 1, 0.25}, {1, 0, 0.5}, {1, 1, 0.75}}, true});
  CHECK(graph->has_weights());
  CHECK(graph->given_weight(1, 0) == 0.25);
  CHECK(graph->given_weight(0, 1) == 0.5);
  CHECK(graph->given_weight(0, 0) == 0.5);
  CHECK(graph->given_weight(1, 1) == 0.75);
  CHECK(graph->out_neighbors(1, 0) == Ranks{0});
}

TEST_CASE("invalid edges of a graph are refused with the reason") {
  const auto rejected = [](std::vector<GraphEdge> edges, const char* text, bool is_directed = false) {
    CHECK_THROWS_WITH_AS(graph_of(3, EdgeListGraph{std::move(edges), is_directed}), text,
                         std::invalid_argument);
  };
  rejected({{0, 1, {}}, {1, 3, {}}}, "graph edge_list: edge 2: there is no worker 3; ranks are 0 to 2");
  rejected({{-1, 1, {}}}, "graph edge_list: edge 1: there is no worker -1; ranks are 0 to 2");
  rejected({{0, 1, {}}, {1, 2, 0.5}},
           "graph edge_list: edge 2: the edge has a weight; either all edges have one or none");
  rejected({{0, 1, 0.5}, {1, 2, {}}},
           "graph edge_list: edge 2: the edge has no weight; either all edges have one or none");
  rejected({{0, 1, 0}},
           "graph edge_list: edge 1: the edge has weight 0; leave out an edge whose models are not averaged");
  rejected({{0, 1, -0.5}}, "graph edge_list: edge 1: the weight must be at least 0 and finite, got -0.5");
  rejected({{0, 1, std::numeric_limits<double>::infinity()}},
           "graph edge_list: edge 1: the weight must be at least 0 and finite, got inf");
  rejected({{1, 1, {}}},
           "graph edge_list: edge 1: an edge from worker 1 to itself needs a weight, that of its own model");
  rejected({{0, 1, {}}, {1, 0, {}}},
           "graph edge_list: edge 2: the edge from worker 1 to worker 0 is a duplicate of the one at graph "
           "edge_list: edge 1");
  rejected({{0, 1, {}}, {0, 1, {}}},
           "graph edge_list: edge 2: the edge from worker 0 to worker 1 is a duplicate of the one at graph "
           "edge_list: edge 1",
           true);
  rejected(
      {{0, 1, {}}},
      "graph edge_list: worker 0 and worker 2 do not reach each other; every worker must reach every other");
  rejected(
      {{0, 1, {}}, {1, 2, {}}},
      "graph edge_list: worker 0 and worker 1 do not reach each other; every worker must reach every other",
      true);
  rejected(
      {},
      "graph edge_list: worker 0 and worker 1 do not reach each other; every worker must reach every other");
}

}  // namespace
}  // namespace starling
