#include "topologies/networks/breadth_first_router.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <stdexcept>
#include <string>

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

/// Floyd and Warshall's distances, on ways that lead through hosts only if these forward.
std::vector<std::vector<int>> distances_of(const GraphOptions& graph, int hosts) {
  const std::size_t vertices = static_cast<std::size_t>(hosts + graph.switches);
  std::vector<std::vector<int>> distances(vertices, std::vector<int>(vertices, 1000));
  for (std::size_t vertex = 0; vertex < vertices; ++vertex) distances[vertex][vertex] = 0;
  for (const GraphCable& cable : graph.cables) {
    distances[static_cast<std::size_t>(cable.from)][static_cast<std::size_t>(cable.to)] = 1;
    distances[static_cast<std::size_t>(cable.to)][static_cast<std::size_t>(cable.from)] = 1;
  }
  const auto first_middle = static_cast<std::size_t>(graph.hosts_forward ? 0 : hosts);
  for (std::size_t middle = first_middle; middle < vertices; ++middle) {
    for (auto& row : distances) {
      for (std::size_t to = 0; to < vertices; ++to) {
        row[to] = std::min(row[to], row[middle] + distances[middle][to]);
      }
    }
  }
  return distances;
}

bool are_all_joined(const std::vector<std::vector<int>>& distances, int hosts) {
  for (int host = 0; host < hosts; ++host) {
    const auto& row = distances[static_cast<std::size_t>(host)];
    if (*std::max_element(row.begin(), row.begin() + hosts) >= 1000) return false;
  }
  return true;
}

/// Only its ends are hosts: "host0 -> switch1, switch1 -> host2".
bool passes_no_host(const std::string& route) {
  return route.find("host", route.find("-> host") + 4) == std::string::npos;
}

TEST_CASE("in any graph every route is a shortest one, also where hosts do not forward") {
  CHECK(rc::check([] {
    const int hosts = *rc::gen::inRange(2, 10);
    GraphOptions graph = random_graph(hosts, *rc::gen::inRange(0, 8));
    graph.hosts_forward = *rc::gen::arbitrary<bool>();
    graph.preferred_switches = *rc::gen::inRange(0, graph.switches + 1);
    const std::vector<std::vector<int>> distances = distances_of(graph, hosts);
    if (!are_all_joined(distances, hosts)) {
      RC_ASSERT(!graph.hosts_forward);
      RC_ASSERT_THROWS_AS(network_of(hosts, graph), std::invalid_argument);
      return;
    }
    const Network network = network_of(hosts, graph);
    int longest = 0;
    for (int source = 0; source < hosts; ++source) {
      for (int destination = 0; destination < hosts; ++destination) {
        if (source == destination) continue;
        const int distance =
            distances[static_cast<std::size_t>(source)][static_cast<std::size_t>(destination)];
        RC_ASSERT(length(network, source, destination) == distance);
        RC_ASSERT((graph.hosts_forward || passes_no_host(route_text(network, source, destination))));
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

TEST_CASE("hosts that no path connects are named") {
  const GraphOptions graph = {.switches = 1, .cables = {{0, 3, test_link}, {1, 3, test_link}}};
  CHECK_THROWS_WITH_AS(network_of(3, graph),
                       "no path connects host0 and host2; there must be a path between every two hosts",
                       std::invalid_argument);
}

TEST_CASE("hosts that do not forward are on no way between others") {
  // Rail switches 4 and 5, an NVSwitch 6 and 7 in each of two servers; a spine 8 only if it is wanted.
  GraphOptions rails = {.switches = 4,
                        .cables = {{0, 4, test_link},
                                   {2, 4, test_link},
                                   {1, 5, test_link},
                                   {3, 5, test_link},
                                   {0, 6, test_link},
                                   {1, 6, test_link},
                                   {2, 7, test_link},
                                   {3, 7, test_link}},
                        .hosts_forward = false};
  CHECK_THROWS_WITH_AS(network_of(4, rails),
                       "no path connects host0 and host3 except through other hosts, which do not forward; "
                       "there must be a path between every two hosts",
                       std::invalid_argument);
  rails.switches = 5;
  rails.cables.push_back({4, 8, test_link});
  rails.cables.push_back({5, 8, test_link});
  CHECK(route_text(network_of(4, rails), 0, 3) ==
        "host0 -> switch0, switch0 -> switch4, switch4 -> switch1, switch1 -> host3");
}

TEST_CASE("among equally short ways those over preferred switches are taken, whatever else there is") {
  GraphOptions twice = {.switches = 2, .cables = {}, .preferred_switches = 1};
  for (int host = 0; host < 6; ++host)
    for (const int network_switch : {6, 7}) twice.cables.push_back({host, network_switch, test_link});
  const Network network = network_of(6, twice);
  twice.preferred_switches = 0;
  const Network without = network_of(6, twice);
  int over_the_other = 0;
  for (int source = 0; source < 6; ++source)
    for (int destination = 0; destination < 6; ++destination) {
      if (source == destination) continue;
      CHECK(route_text(network, source, destination).find("switch0") != std::string::npos);
      over_the_other += route_text(without, source, destination).find("switch1") != std::string::npos ? 1 : 0;
    }
  CHECK(over_the_other > 0);
}

TEST_CASE("a switch without cables does no harm") {
  const GraphOptions graph = {.switches = 2, .cables = {{0, 3, test_link}, {1, 3, test_link}}};
  CHECK(route_text(network_of(2, graph), 0, 1) == "host0 -> switch1, switch1 -> host1");
}

}  // namespace
}  // namespace starling
