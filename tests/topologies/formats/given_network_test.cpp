#include "topologies/formats/given_network.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "tests/topologies/networks/clusters.hpp"

namespace starling {
namespace {

/// Cables between nodes called by their numbers.
GivenNetwork network_with(int nodes, const std::vector<std::pair<int, int>>& cables) {
  GivenNetwork given{.file = "net", .nodes = {}, .edges = {}};
  for (int node = 0; node < nodes; ++node)
    given.nodes.push_back({std::to_string(node), {}, "net: node " + std::to_string(node)});
  for (const auto& [from, to] : cables)
    given.edges.push_back({.from = from, .to = to, .link = test_link, .place = "net: edge"});
  return given;
}

std::vector<std::string> names_of(const Fabric& fabric) {
  std::vector<std::string> names;
  for (const Vertex& vertex : fabric.vertices) names.push_back(vertex.name);
  return names;
}

TEST_CASE("in a file without kinds of nodes those with one cable are hosts, and hosts come first") {
  const Fabric fabric = fabric_of(network_with(5, {{0, 1}, {1, 2}, {0, 3}, {0, 4}}), 3);
  CHECK(fabric.hosts == 3);
  CHECK(names_of(fabric) == std::vector<std::string>{"2", "3", "4", "0", "1"});
  CHECK(fabric.cables.size() == 4);
}

TEST_CASE("kinds of nodes are those of the file, which must give that of all nodes or of none") {
  GivenNetwork given = network_with(3, {{0, 1}, {1, 2}});
  for (GivenNode& node : given.nodes) node.is_host = true;
  CHECK(names_of(fabric_of(given, 3)) == std::vector<std::string>{"0", "1", "2"});
  given.nodes[1].is_host.reset();
  CHECK_THROWS_WITH_AS(fabric_of(given, 3),
                       "net: node 1: node 1 is not declared a host or a switch, but other nodes are",
                       std::invalid_argument);
}

TEST_CASE(
    "hosts beyond those needed are left out, or become switches where others are reached through them") {
  GivenNetwork given = network_with(5, {{0, 1}, {1, 2}, {2, 3}, {1, 4}});
  for (GivenNode& node : given.nodes) node.is_host = true;
  given.nodes[1].is_host = false;
  const Fabric fabric = fabric_of(given, 1);
  CHECK(names_of(fabric) == std::vector<std::string>{"0", "1", "2"});
  CHECK(fabric.vertices[2].kind == VertexKind::network_switch);
  CHECK(fabric.cables.size() == 2);
}

TEST_CASE("hosts that nothing joins are refused") {
  CHECK_THROWS_WITH_AS(fabric_of(network_with(4, {{0, 1}, {2, 3}}), 4),
                       "net: no path connects 0 and 2; there must be a path between every two hosts",
                       std::invalid_argument);
}

}  // namespace
}  // namespace starling
