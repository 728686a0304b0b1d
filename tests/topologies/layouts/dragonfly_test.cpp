#include "topologies/layouts/dragonfly.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>

#include "tests/topologies/networks/clusters.hpp"

namespace starling {
namespace {

/// A balanced dragonfly; in the notation of its paper a = 4, p = h = 2, g = 9: 72 hosts.
constexpr int paper_hosts = 72;
constexpr int paper_a = 4;
constexpr int p = 2;
constexpr int h = 2;
constexpr int g = 9;

int router_of(const Network& network, int vertex) { return vertex - network.hosts(); }

bool is_global(const Network& network, const Link& link, int routers_per_group) {
  const int from = router_of(network, link.from_vertex);
  const int to = router_of(network, link.to_vertex);
  return from >= 0 && to >= 0 && from / routers_per_group != to / routers_per_group;
}

/// The groups that a route passes, each once.
std::vector<int> groups_of(const Network& network, Rank source, Rank destination) {
  std::vector<int> groups;
  for (const LinkIndex index : network.route(source, destination)) {
    const int router = router_of(network, link_at(network, index).to_vertex);
    if (router >= 0 && (groups.empty() || groups.back() != router / paper_a))
      groups.push_back(router / paper_a);
  }
  return groups;
}

/// The greatest number of routes over one global link where every host sends to the one a group further on.
int load_of_shift(const Network& network) {
  std::map<LinkIndex, int> loads;
  int greatest = 0;
  for (Rank rank = 0; rank < paper_hosts; ++rank) {
    for (const LinkIndex index : network.route(rank, (rank + paper_a * p) % paper_hosts))
      if (is_global(network, link_at(network, index), paper_a)) greatest = std::max(greatest, ++loads[index]);
  }
  return greatest;
}

/// The length of a minimal route, found from cables alone: a global link between the two groups, and local
/// links to and from it where it is at another router.
int distance_over_cables(const Network& network, int from, int to, int routers_per_group) {
  int least = 100;
  for (const Link& link : network.links()) {
    const int near = router_of(network, link.from_vertex);
    const int far = router_of(network, link.to_vertex);
    if (near < 0 || far < 0 || near / routers_per_group != from / routers_per_group ||
        far / routers_per_group != to / routers_per_group)
      continue;
    least = std::min(least, (near != from) + 1 + (far != to));
  }
  return least;
}

TEST_CASE("a dragonfly without sizes is the least balanced one with room for the hosts") {
  const Network network = network_of(paper_hosts, DragonflyOptions{.link = test_link});
  CHECK(network.switches() == paper_a * g);
  CHECK(network.links().size() == 2 * (paper_hosts + g * paper_a * (paper_a - 1) / 2 + g * (g - 1) / 2));
  CHECK(network.diameter() == 5);
  CHECK(network_of(6, DragonflyOptions{.link = test_link}).switches() == 2 * 3);
  // One host more than 72 needs a = 6, p = 3: five groups of eighteen.
  CHECK(network_of(paper_hosts + 1, DragonflyOptions{.link = test_link}).switches() == 6 * 5);
}

TEST_CASE("every router of a full dragonfly has p + a - 1 + h cables, and every two groups one") {
  const Network network = network_of(paper_hosts, DragonflyOptions{.link = test_link});
  std::map<int, int> ports;
  std::map<std::pair<int, int>, int> between;
  for (const Link& link : network.links()) {
    ++ports[link.from_vertex];
    if (is_global(network, link, paper_a))
      ++between[{router_of(network, link.from_vertex) / paper_a,
                 router_of(network, link.to_vertex) / paper_a}];
  }
  for (const auto& [vertex, count] : ports) CHECK(count == (vertex < paper_hosts ? 1 : p + paper_a - 1 + h));
  CHECK(between.size() == g * (g - 1));
  for (const auto& [groups, count] : between) CHECK(count == 1);
}

TEST_CASE("global links lie as in the palmtree arrangement") {
  const Network network = network_of(paper_hosts, DragonflyOptions{.link = test_link});
  std::set<std::pair<int, int>> joined;  // a router and a group
  for (const Link& link : network.links()) {
    if (is_global(network, link, paper_a))
      joined.insert({router_of(network, link.from_vertex), router_of(network, link.to_vertex) / paper_a});
  }
  for (int group = 0; group < g; ++group) {
    for (int port = 0; port < paper_a * h; ++port)
      CHECK(joined.contains({group * paper_a + port / h, (group - port - 1 + g) % g}));
  }
}

TEST_CASE("minimal routes take one global link, the nearest, and local links to and from it") {
  for (const int groups : {9, 5, 4, 3, 2}) {
    CAPTURE(groups);
    const DragonflyOptions options = {
        .routers_per_group = paper_a, .hosts_per_router = p, .groups = groups, .link = test_link};
    const Network network = network_of(groups * paper_a * p, options);
    for (Rank source = 0; source < network.workers(); ++source) {
      for (Rank destination = 0; destination < network.workers(); ++destination) {
        const int from = source / p;
        const int to = destination / p;
        if (from / paper_a == to / paper_a) continue;
        REQUIRE(length(network, source, destination) == 2 + distance_over_cables(network, from, to, paper_a));
      }
    }
  }
}

TEST_CASE("hosts of a dragonfly are two links apart on a router and three in a group") {
  const Network network = network_of(paper_hosts, DragonflyOptions{.link = test_link});
  CHECK(route_text(network, 0, 1) == "host0 -> router0, router0 -> host1");
  CHECK(route_text(network, 0, 7) == "host0 -> router0, router0 -> router3, router3 -> host7");
}

TEST_CASE("fewer groups than there are global ports share them evenly and leave the rest empty") {
  const DragonflyOptions options = {.routers_per_group = paper_a,
                                    .hosts_per_router = p,
                                    .global_links_per_router = h,
                                    .groups = 4,
                                    .link = test_link};
  // 8 ports a group for 3 others: two cables to each.
  CHECK(network_of(32, options).links().size() == 2 * (32 + 4 * 6 + 6 * 2));
}

TEST_CASE("the bisection of a dragonfly is its global links between halves of its groups") {
  const LinkOptions wide = {.bandwidth_Bps = 1000e9, .latency_s = 0};
  const DragonflyOptions options = {.routers_per_group = paper_a,
                                    .hosts_per_router = p,
                                    .global_links_per_router = h,
                                    .groups = 8,
                                    .link = wide,
                                    .local_link = wide,
                                    .global_link = test_link};
  CHECK(network_of(64, options).bisection_bandwidth_Bps() == 4 * 4 * test_link.bandwidth_Bps);
}

TEST_CASE("Valiant's routes pass one group that is neither the source's nor the destination's") {
  const Network network =
      network_of(paper_hosts, DragonflyOptions{.routing = DragonflyRouting::valiant, .link = test_link});
  std::set<int> passed;
  for (Rank source = 0; source < paper_hosts; ++source) {
    for (Rank destination = 0; destination < paper_hosts; ++destination) {
      if (source == destination) continue;
      const std::vector<int> groups = groups_of(network, source, destination);
      const int from = source / (paper_a * p);
      const int to = destination / (paper_a * p);
      REQUIRE(groups.size() == (from == to ? 1 : 3));
      REQUIRE(groups.front() == from);
      REQUIRE(groups.back() == to);
      if (from == to) continue;
      REQUIRE(std::set<int>(groups.begin(), groups.end()).size() == 3);
      REQUIRE(length(network, source, destination) <= 7);
      if (from == 0 && to == 1) passed.insert(groups[1]);
    }
  }
  CHECK(passed == std::set<int>{2, 3, 4, 5, 6, 7, 8});
  CHECK(network.diameter() == 5);
}

TEST_CASE("Valiant's routes spread what a group sends to one other group") {
  CHECK(load_of_shift(network_of(paper_hosts, DragonflyOptions{.link = test_link})) == paper_a * p);
  // 72 detours over two global links each, on the 63 that do not lead to the next group: 16/7 each on
  // average. A hash spreads them as chance does: the greatest of 63 binomial numbers, each of 16 trials with
  // 1/7, is at most 6 in three cases of four.
  const DragonflyOptions valiant = {.routing = DragonflyRouting::valiant, .link = test_link};
  CHECK(load_of_shift(network_of(paper_hosts, valiant)) <= paper_a * p * 3 / 4);
}

TEST_CASE("every hash_seed draws other detours, and 0 the usual ones") {
  ClusterOptions options =
      cluster_of(paper_hosts, DragonflyOptions{.routing = DragonflyRouting::valiant, .link = test_link});
  const auto detour_by = [&](std::optional<std::uint64_t> seed) {
    options.network.hash_seed = seed;
    return route_text(build_network(options), 0, paper_hosts - 1);
  };
  const std::string usual = detour_by({});
  CHECK(detour_by(0) == usual);
  // Each seed takes one of the seven other groups with equal probability. That 40 draws miss two of them has
  // a probability of at most 21·(5/7)⁴⁰, 3e-5.
  std::set<std::string> detours;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) detours.insert(detour_by(seed));
  CHECK(detours.size() >= 6);
}

TEST_CASE("between two groups there is no detour, and the routes are minimal") {
  DragonflyOptions options = {
      .routers_per_group = paper_a, .hosts_per_router = p, .groups = 2, .link = test_link};
  const Network minimal = network_of(16, options);
  options.routing = DragonflyRouting::valiant;
  CHECK(route_text(network_of(16, options), 0, 15) == route_text(minimal, 0, 15));
}

TEST_CASE("a dragonfly of 65,536 hosts has its routes without a search") {
  const Network network = network_of(65536, DragonflyOptions{.link = test_link});
  CHECK(network.diameter() == 5);
  CHECK(length(network, 0, 65535) <= 5);
}

void check_rejected(int host_count, const DragonflyOptions& options, const char* text) {
  CHECK_THROWS_WITH_AS(network_of(host_count, options), text, std::invalid_argument);
}

TEST_CASE("sizes of a dragonfly that do not fit are refused with what would") {
  check_rejected(72, DragonflyOptions{.routers_per_group = 4, .groups = 8, .link = test_link},
                 "cluster: network: dragonfly: groups: 72 hosts do not fit, got 8, expected at least 9");
  check_rejected(
      80, DragonflyOptions{.routers_per_group = 4, .link = test_link},
      "cluster: network: dragonfly: groups: 10 groups need more global links than the 8 of a group, "
      "got 10, expected at most 9 groups, or more global links");
  check_rejected(8, DragonflyOptions{.routers_per_group = 0, .link = test_link},
                 "cluster: network: dragonfly: routers_per_group is 0; it must be from 1 to 4096");
  check_rejected(8, DragonflyOptions{.routers_per_group = 5000, .link = test_link},
                 "cluster: network: dragonfly: routers_per_group is 5000; it must be from 1 to 4096");
  check_rejected(8, DragonflyOptions{.routers_per_group = 4096, .groups = 4096, .link = test_link},
                 "dragonfly: this network has 85886763008 cables; the most that can be built is 8388608");
  check_rejected(8, DragonflyOptions{},
                 "cluster: network: dragonfly: link: bandwidth is 0; it must be from 1 to 1e+18");
  check_rejected(8, DragonflyOptions{.link = test_link, .local_link = LinkOptions{1, -1}},
                 "cluster: network: dragonfly: local_link: latency is -1; it must be from 0 to 1000000000");
  check_rejected(8, DragonflyOptions{.link = test_link, .global_link = LinkOptions{}},
                 "cluster: network: dragonfly: global_link: bandwidth is 0; it must be from 1 to 1e+18");
}

}  // namespace
}  // namespace starling
