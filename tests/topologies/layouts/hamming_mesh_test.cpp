#include "topologies/layouts/hamming_mesh.hpp"

#include <doctest/doctest.h>

#include <map>
#include <stdexcept>

#include "tests/topologies/networks/clusters.hpp"

namespace starling {
namespace {

/// A HammingMesh of x × y boards of a × b hosts each.
Network mesh_of(int a, int b, int x, int y) {
  return network_of(a * b * x * y, HammingMeshOptions{.board = {a, b}, .boards = {x, y}, .link = test_link});
}

TEST_CASE("a HammingMesh has a switch for each row and column, and two cables from each board to each") {
  const Network network = mesh_of(2, 3, 4, 5);
  const int rows = 2 * 4;
  const int columns = 3 * 5;
  CHECK(network.switches() == rows + columns);
  const int on_boards = 4 * 5 * (2 * 2 + 3 * 1);
  CHECK(network.links().size() == static_cast<std::size_t>(2 * (on_boards + rows * 2 * 5 + columns * 2 * 4)));
}

TEST_CASE("every host of a HammingMesh of 2 x 2 boards has four ports, two of them off its board") {
  const Network network = mesh_of(2, 2, 3, 3);
  std::map<int, int> ports;
  for (const Link& link : network.links()) ++ports[link.from_vertex];
  for (const auto& [vertex, count] : ports) CHECK(count == (vertex < network.hosts() ? 4 : 6));
}

TEST_CASE(
    "the diameter of a HammingMesh is twice the way to the edge of a board, and two links, in each "
    "dimension") {
  CHECK(mesh_of(1, 1, 4, 4).diameter() == 4);
  CHECK(mesh_of(2, 2, 4, 4).diameter() == 4);
  CHECK(mesh_of(4, 4, 4, 4).diameter() == 8);
  CHECK(mesh_of(4, 2, 4, 4).diameter() == 6);
}

TEST_CASE("one board whose ends a switch joins is as wide as a torus with one vertex more") {
  CHECK(mesh_of(1, 8, 1, 1).diameter() == 4);
  CHECK(mesh_of(1, 8, 1, 1).switches() == 1);
  CHECK(network_of(9, RingOptions{.link = test_link}).diameter() == 4);
}

TEST_CASE("the bisection of a HammingMesh of a x a boards is 1 / 2a of what half of its hosts can send") {
  for (const int a : {1, 2, 4}) {
    CAPTURE(a);
    const int hosts = 16 * a * a;
    CHECK(mesh_of(a, a, 4, 4).bisection_bandwidth_Bps() ==
          0.5 * hosts * 4 * test_link.bandwidth_Bps / (2 * a));
  }
}

TEST_CASE("routes of a HammingMesh go over a board, or to its edge and over a switch") {
  const Network network = mesh_of(2, 2, 2, 2);
  CHECK(route_text(network, 0, 1) == "host0 -> host1");
  CHECK(route_text(network, 0, 3) == "host0 -> row0, row0 -> host3");
  CHECK(route_text(network, 0, 8) == "host0 -> column0, column0 -> host8");
  CHECK(length(network, 0, 15) == 4);
}

TEST_CASE("links to the switches may be others than those on the boards") {
  const Network network = network_of(
      4, HammingMeshOptions{
             .board = {1, 2}, .boards = {1, 2}, .link = test_link, .switch_link = LinkOptions{5e9, 3e-6}});
  CHECK(network.bandwidth_Bps(0, 1) == 10e9);
  CHECK(network.bandwidth_Bps(0, 2) == 5e9);
  CHECK(network.alpha_s(0, 2) == 6e-6);
}

void check_rejected(int hosts, const HammingMeshOptions& options, const char* text) {
  CHECK_THROWS_WITH_AS(network_of(hosts, options), text, std::invalid_argument);
}

TEST_CASE("sizes of a HammingMesh must multiply to the number of hosts") {
  check_rejected(16, {.board = {2, 2}, .boards = {2}, .link = test_link},
                 "cluster: network: hamming_mesh: boards has 1 sizes, expected two sizes, rows and columns");
  check_rejected(16, {.board = {2, 0}, .boards = {2, 2}, .link = test_link},
                 "cluster: network: hamming_mesh: board[1] is 0; it must be from 1 to 1048576");
  check_rejected(15, {.board = {2, 2}, .boards = {2, 2}, .link = test_link},
                 "cluster: network: hamming_mesh: boards: wrong number of hosts, got [2, 2], expected sizes "
                 "whose product with those of a board is 15");
  check_rejected(4, {.board = {2, 2}, .boards = {1, 1}},
                 "cluster: network: hamming_mesh: link: bandwidth is 0; it must be from 1 to 1e+18");
  check_rejected(4, {.board = {2, 2}, .boards = {1, 1}, .link = test_link, .switch_link = LinkOptions{}},
                 "cluster: network: hamming_mesh: switch_link: bandwidth is 0; it must be from 1 to 1e+18");
}

}  // namespace
}  // namespace starling
