#include "topologies/layouts/grid.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "tests/topologies/networks/clusters.hpp"

namespace starling {
namespace {

std::vector<int> coordinates(const std::vector<int>& dimensions, int host) {
  std::vector<int> position(dimensions.size());
  for (std::size_t index = dimensions.size(); index-- > 0; host /= dimensions[index]) {
    position[index] = host % dimensions[index];
  }
  return position;
}

int distance(const std::vector<int>& dimensions, bool is_closed, int one, int other) {
  const std::vector<int> from = coordinates(dimensions, one);
  const std::vector<int> to = coordinates(dimensions, other);
  int links = 0;
  for (std::size_t index = 0; index < dimensions.size(); ++index) {
    const int apart = std::abs(from[index] - to[index]);
    links += is_closed ? std::min(apart, dimensions[index] - apart) : apart;
  }
  return links;
}

int product(const std::vector<int>& dimensions) {
  return std::accumulate(dimensions.begin(), dimensions.end(), 1, std::multiplies<>());
}

rc::Gen<std::vector<int>> some_dimensions() {
  return rc::gen::mapcat(rc::gen::inRange(1, 5), [](int count) {
    return rc::gen::container<std::vector<int>>(static_cast<std::size_t>(count), rc::gen::inRange(1, 6));
  });
}

TEST_CASE("in any torus or mesh a route is as long as the coordinates are apart") {
  CHECK(rc::check([] {
    const std::vector<int> dimensions = *some_dimensions();
    const int hosts = product(dimensions);
    RC_PRE(hosts > 1);
    const int source = *rc::gen::inRange(0, hosts);
    const int destination =
        *rc::gen::suchThat(rc::gen::inRange(0, hosts), [source](int host) { return host != source; });
    const Network torus = network_of(hosts, TorusOptions{.dimensions = dimensions, .link = test_link});
    const Network mesh = network_of(hosts, MeshOptions{.dimensions = dimensions, .link = test_link});
    RC_ASSERT(length(torus, source, destination) == distance(dimensions, true, source, destination));
    RC_ASSERT(length(mesh, source, destination) == distance(dimensions, false, source, destination));
  }));
}

TEST_CASE("routes of a torus obey the triangle inequality and are as long one way as the other") {
  const Network network = network_of(30, TorusOptions{.dimensions = {5, 3, 2}, .link = test_link});
  CHECK(rc::check([&] {
    const int a = *rc::gen::inRange(0, 30);
    const int b = *rc::gen::inRange(0, 30);
    const int c = *rc::gen::inRange(0, 30);
    RC_PRE(a != b && b != c && a != c);
    RC_ASSERT(length(network, a, c) <= length(network, a, b) + length(network, b, c));
    RC_ASSERT(length(network, a, b) == length(network, b, a));
  }));
}

TEST_CASE("a torus has a cable per host and dimension, except that dimensions of 2 have half and of 1 none") {
  CHECK(rc::check([] {
    const std::vector<int> dimensions = *some_dimensions();
    const int hosts = product(dimensions);
    int cables = 0;
    int mesh_cables = 0;
    for (const int size : dimensions) {
      cables += size == 1 ? 0 : size == 2 ? hosts / 2 : hosts;
      mesh_cables += hosts / size * (size - 1);
    }
    const Network torus = network_of(hosts, TorusOptions{.dimensions = dimensions, .link = test_link});
    const Network mesh = network_of(hosts, MeshOptions{.dimensions = dimensions, .link = test_link});
    RC_ASSERT(static_cast<int>(torus.links().size()) == 2 * cables);
    RC_ASSERT(static_cast<int>(mesh.links().size()) == 2 * mesh_cables);
  }));
}

TEST_CASE("neighbors on a ring are one link apart, and opposite hosts half-way round") {
  const Network ring = network_of(8, RingOptions{.link = test_link});
  CHECK(ring.links().size() == 16);
  CHECK(ring.switches() == 0);
  CHECK(route_text(ring, 7, 0) == "host7 -> host0");
  CHECK(ring.alpha_s(7, 0) == 1e-6);
  CHECK(length(ring, 0, 4) == 4);
  CHECK(length(ring, 1, 6) == 3);
  CHECK(network_of(2, RingOptions{.link = test_link}).links().size() == 2);
  CHECK(network_of(1, RingOptions{.link = test_link}).links().empty());
}

TEST_CASE("a line is a ring without its closing cable") {
  const Network line = network_of(8, LineOptions{.link = test_link});
  CHECK(line.links().size() == 14);
  CHECK(length(line, 7, 0) == 7);
  CHECK(line.diameter() == 7);
}

TEST_CASE("routes of a hypercube are as long as the numbers differ in bits") {
  const Network cube = network_of(32, HypercubeOptions{.link = test_link});
  CHECK(cube.links().size() == 32 * 5);
  CHECK(cube.diameter() == 5);
  for (unsigned source = 0; source < 32; ++source) {
    for (unsigned destination = 0; destination < 32; ++destination) {
      if (source == destination) continue;
      CHECK(length(cube, static_cast<int>(source), static_cast<int>(destination)) ==
            std::popcount(source ^ destination));
    }
  }
}

TEST_CASE("the last dimension of a torus varies fastest, and each may have links of its own") {
  const LinkOptions fast = {.bandwidth_Bps = 50e9, .latency_s = 2e-6};
  const Network torus =
      network_of(12, TorusOptions{.dimensions = {4, 3}, .dimension_links = {test_link, fast}});
  CHECK(route_text(torus, 0, 2) == "host0 -> host2");
  CHECK(torus.bandwidth_Bps(0, 2) == 50e9);
  CHECK(route_text(torus, 0, 9) == "host0 -> host9");
  CHECK(torus.bandwidth_Bps(0, 9) == 10e9);
  CHECK(torus.alpha_s(0, 11) == 3e-6);
}

TEST_CASE("both ways round a ring are taken between opposite hosts") {
  const Network ring = network_of(64, RingOptions{.link = test_link});
  int upward = 0;
  for (int host = 0; host < 64; ++host) {
    const Link& first = link_at(ring, ring.route(host, (host + 32) % 64).front());
    upward += first.to_vertex == (host + 1) % 64;
  }
  // 64 fair coins: 12 away from the mean is three standard deviations.
  CHECK(upward > 32 - 12);
  CHECK(upward < 32 + 12);
}

}  // namespace
}  // namespace starling
