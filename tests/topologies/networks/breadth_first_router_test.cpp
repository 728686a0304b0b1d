#include "topologies/networks/breadth_first_router.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <stdexcept>

#include "tests/topologies/networks/clusters.hpp"
#include "topologies/networks/build_fabric.hpp"

namespace starling {
namespace {

/// A random tree over all vertices, so that all are joined, and some cables more.
GraphOptions random_graph(int hosts, int switches) {
  GraphOptions graph = {.switches = switches};
  const int vertices = hosts + switches;
  for (int vertex = 1; vertex < vertices; ++vertex) {
    graph.cables.push_back({*rc::gen::inRange(0, vertex), vertex, test_link});
  }
  const int more = *rc::gen::inRange(0, 2 * vertices);
  for (int count = 0; count < more; ++count) {
    const int from = *rc::gen::inRange(0, vertices - 1);
    graph.cables.push_back({from, *rc::gen::inRange(from + 1, vertices), test_link});
  }
  return graph;
}

/// Floyd and Warshall's distances.
std::vector<std::vector<int>> distances_of(const GraphOptions& graph, int hosts) {
  const std::size_t vertices = static_cast<std::size_t>(hosts + graph.switches);
  std::vector<std::vector<int>> distances(vertices, std::vector<int>(vertices, 1000));
  for (std::size_t vertex = 0; vertex < vertices; ++vertex) distances[vertex][vertex] = 0;
  for (const GraphCable& cable : graph.cables) {
    distances[static_cast<std::size_t>(cable.from)][static_cast<std::size_t>(cable.to)] = 1;
    distances[static_cast<std::size_t>(cable.to)][static_cast<std::size_t>(cable.from)] = 1;
  }
  for (std::size_t middle = 0; middle < vertices; ++middle) {
    for (auto& row : distances) {
      for (std::size_t to = 0; to < vertices; ++to) {
        row[to] = std::min(row[to], row[middle] + distances[middle][to]);
      }
    }
  }
  return distances;
}

TEST_CASE("in any graph every route is a shortest one") {
  CHECK(rc::check([] {
    const int hosts = *rc::gen::inRange(2, 10);
    const GraphOptions graph = random_graph(hosts, *rc::gen::inRange(0, 8));
    const std::vector<std::vector<int>> distances = distances_of(graph, hosts);
    const Network network = network_of(hosts, graph);
    int longest = 0;
    for (int source = 0; source < hosts; ++source) {
      for (int destination = 0; destination < hosts; ++destination) {
        if (source == destination) continue;
        const int distance =
            distances[static_cast<std::size_t>(source)][static_cast<std::size_t>(destination)];
        RC_ASSERT(length(network, source, destination) == distance);
        longest = std::max(longest, distance);
      }
    }
    RC_ASSERT(network.diameter() == longest);
  }));
}

TEST_CASE("the next vertices are all those that are nearer to the destination") {
  const Fabric fabric = build_fabric(4, RingOptions{.link = test_link});
  const std::unique_ptr<Router> router = breadth_first_router(fabric);
  std::vector<int> next;
  router->next_vertices(0, 2, next);
  CHECK(next == std::vector{1, 3});
  router->next_vertices(1, 2, next);
  CHECK(next == std::vector{1, 3, 2});
}

TEST_CASE("a router that keeps the distances to one destination only finds the same paths") {
  const Fabric fabric = build_fabric(30, TorusOptions{.dimensions = {5, 6}, .link = test_link});
  const std::unique_ptr<Router> frugal = breadth_first_router(fabric, 1);
  const std::unique_ptr<Router> rich = breadth_first_router(fabric);
  for (int round = 0; round < 2; ++round) {
    for (int source = 0; source < 30; ++source) {
      for (int destination = 0; destination < 30; ++destination) {
        if (source == destination) continue;
        std::vector<int> frugal_next;
        std::vector<int> rich_next;
        frugal->next_vertices(source, destination, frugal_next);
        rich->next_vertices(source, destination, rich_next);
        REQUIRE(frugal_next == rich_next);
      }
    }
  }
}

TEST_CASE("hosts that no path joins are named") {
  const GraphOptions graph = {.switches = 1, .cables = {{0, 3, test_link}, {1, 3, test_link}}};
  CHECK_THROWS_WITH_AS(network_of(3, graph),
                       "graph: no path joins host0 and host2; every two hosts must be joined",
                       std::invalid_argument);
}

TEST_CASE("a switch without cables does no harm") {
  const GraphOptions graph = {.switches = 2, .cables = {{0, 3, test_link}, {1, 3, test_link}}};
  CHECK(route_text(network_of(2, graph), 0, 1) == "host0 -> switch1, switch1 -> host1");
}

}  // namespace
}  // namespace starling
