#include "topologies/layouts/tree.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <set>

#include "tests/rounding.hpp"
#include "tests/topologies/networks/clusters.hpp"

namespace starling {
namespace {

/// How many routes of an all-to-all cross each link that leads from one kind of switch to another, told by
/// name.
std::map<std::string, int> all_to_all_loads(const Network& network, const std::string& from,
                                            const std::string& to) {
  std::map<std::string, int> loads;
  for (const Link& link : network.links()) {
    if (link.name.starts_with(from) && link.name.find("-> " + to) != std::string::npos) loads[link.name] = 0;
  }
  for (Rank source = 0; source < network.workers(); ++source) {
    for (Rank destination = 0; destination < network.workers(); ++destination) {
      if (source == destination) continue;
      for (const LinkIndex index : network.route(source, destination)) {
        const auto load = loads.find(link_at(network, index).name);
        if (load != loads.end()) ++load->second;
      }
    }
  }
  return loads;
}

/// The load of each switch that the links lead to.
std::map<std::string, int> by_destination(const std::map<std::string, int>& loads) {
  std::map<std::string, int> sums;
  for (const auto& [name, load] : loads) sums[name.substr(name.find("-> ") + 3)] += load;
  return sums;
}

/// The greatest relative distance from the mean.
double unevenness(const std::map<std::string, int>& loads) {
  double mean = 0;
  for (const auto& [name, load] : loads) mean += load / static_cast<double>(loads.size());
  double worst = 0;
  for (const auto& [name, load] : loads) worst = greater_error(worst, std::abs(load / mean - 1));
  return worst;
}

/// Routes that share a link where each host sends to the one `shift` further on.
int collisions_of_shift(const Network& network, int shift) {
  std::set<LinkIndex> used;
  int collisions = 0;
  for (Rank rank = 0; rank < network.workers(); ++rank) {
    for (const LinkIndex index : network.route(rank, (rank + shift) % network.workers())) {
      collisions += !used.insert(index).second;
    }
  }
  return collisions;
}

TEST_CASE("a k-ary fat tree has five k squared over four switches and three links each way per host") {
  for (const int k : {2, 4, 6, 8}) {
    const int hosts = k * k * k / 4;
    const Network network = network_of(hosts, FatTreeOptions{.k = k, .link = test_link});
    CHECK(network.switches() == 5 * k * k / 4);
    CHECK(network.links().size() == static_cast<std::size_t>(6 * hosts));
    CHECK(network.diameter() == 6);
    std::map<int, int> ports;
    for (const Link& link : network.links()) ++ports[link.from_vertex];
    for (const auto& [vertex, count] : ports) CHECK(count == (vertex < hosts ? 1 : k));
  }
}

TEST_CASE("hosts of a fat tree are 2, 4 or 6 links apart: same edge switch, same pod, different pods") {
  const Network network = network_of(54, FatTreeOptions{.k = 6, .link = test_link});
  for (Rank source = 0; source < 54; ++source) {
    for (Rank destination = 0; destination < 54; ++destination) {
      if (source == destination) continue;
      const int expected = source / 3 == destination / 3 ? 2 : source / 9 == destination / 9 ? 4 : 6;
      REQUIRE(length(network, source, destination) == expected);
    }
  }
}

TEST_CASE("a fat tree of levels has the switches and cables of its up and down ports") {
  // Two levels, 4 hosts below each of 4 switches, which reach 2 upper switches over 3 cables each.
  const Network network = network_of(16, FatTreeOptions{.levels = {{4, 1, 1}, {4, 2, 3}}, .link = test_link});
  CHECK(network.switches() == 4 + 2);
  CHECK(network.links().size() == 2 * (16 + 4 * 2 * 3));
  CHECK(length(network, 0, 3) == 2);
  CHECK(length(network, 0, 4) == 4);
}

TEST_CASE("each level of a fat tree may have links of its own") {
  const LinkOptions trunk = {.bandwidth_Bps = 40e9, .latency_s = 5e-6};
  const Network network =
      network_of(4, FatTreeOptions{.levels = {{2, 1}, {2, 1, 1, trunk}}, .link = test_link});
  CHECK(network.alpha_s(0, 1) == about(2e-6));
  CHECK(network.alpha_s(0, 2) == about(12e-6));
  CHECK(route_text(network, 0, 2) ==
        "host0 -> level1_switch0, level1_switch0 -> level2_switch0, level2_switch0 -> level1_switch1, "
        "level1_switch1 -> host2");
}

TEST_CASE("hosts fill the ports of a fat tree in order and leave the rest empty") {
  const Network network = network_of(5, FatTreeOptions{.k = 4, .link = test_link});
  CHECK(network.hosts() == 5);
  CHECK(network.switches() == 20);
  CHECK(network.links().size() == 2 * (5 + 16 + 16));
  CHECK(length(network, 3, 4) == 6);
  CHECK(network_of(4, FatTreeOptions{.k = 4, .link = test_link}).diameter() == 4);
}

TEST_CASE("an oversubscribed leaf has that share of its hosts' bandwidth toward the spines") {
  const Network network = network_of(
      32, LeafSpineOptions{.hosts_per_leaf = 16, .spines = 4, .link = test_link, .oversubscription = 4});
  CHECK(network.switches() == 2 + 4);
  CHECK(network.links().size() == 2 * (32 + 8));
  double uplinks_Bps = 0;
  for (const Link& link : network.links()) {
    if (link.name.starts_with("leaf0 -> spine")) uplinks_Bps += link.bandwidth_Bps;
  }
  CHECK(uplinks_Bps == 16 * 10e9 / 4);
  CHECK(network.alpha_s(0, 31) == 4e-6);
  CHECK(network.bandwidth_Bps(0, 1) == 10e9);
}

TEST_CASE("leaf and spine have as much bandwidth upward as downward unless told otherwise") {
  const Network even = network_of(32, LeafSpineOptions{.hosts_per_leaf = 16, .spines = 4, .link = test_link});
  CHECK(even.links().back().name == "spine3 -> leaf1");
  CHECK(even.links().back().bandwidth_Bps == 40e9);
  const Network given = network_of(32, LeafSpineOptions{.hosts_per_leaf = 16,
                                                        .spines = 4,
                                                        .link = test_link,
                                                        .spine_link = LinkOptions{7e9, 9e-6},
                                                        .leaves = 3});
  CHECK(given.links().back().name == "spine3 -> leaf2");
  CHECK(given.links().back().bandwidth_Bps == 7e9);
  CHECK(given.links().back().latency_s == 9e-6);
}

TEST_CASE("hashed paths spread an all-to-all over leaf and spine evenly") {
  const Network network =
      network_of(128, LeafSpineOptions{.hosts_per_leaf = 16, .spines = 4, .link = test_link});
  const std::map<std::string, int> loads = all_to_all_loads(network, "leaf", "spine");
  CHECK(loads.size() == 8 * 4);
  // Mean 3584 routes a spine and 448 an uplink; four standard deviations of fair dice are 6 and 17 %.
  CHECK(unevenness(by_destination(loads)) < 0.06);
  CHECK(unevenness(loads) < 0.17);
}

TEST_CASE("hashed paths spread an all-to-all over the cores of a fat tree, at both levels of choice") {
  const Network network = network_of(128, FatTreeOptions{.k = 8, .link = test_link});
  const std::map<std::string, int> loads = all_to_all_loads(network, "aggregation", "core");
  CHECK(loads.size() == 8 * 16);
  // Mean 896 routes a core and 112 a link; four standard deviations of fair dice are 13 and 37 %.
  CHECK(unevenness(by_destination(loads)) < 0.13);
  CHECK(unevenness(loads) < 0.37);
}

TEST_CASE("paths by destination load every link of a full fat tree alike in an all-to-all") {
  ClusterOptions options = cluster_of(128, FatTreeOptions{.k = 8, .link = test_link});
  options.network.path_choice = PathChoice::destination;
  const Network network = build_network(options);
  CHECK(unevenness(all_to_all_loads(network, "aggregation", "core")) < 1e-12);
  CHECK(unevenness(all_to_all_loads(network, "core", "aggregation")) < 1e-12);
}

TEST_CASE("paths by destination keep every shift free of collisions in a full fat tree") {
  ClusterOptions options = cluster_of(54, FatTreeOptions{.k = 6, .link = test_link});
  int hashed_collisions = 0;
  for (int shift = 1; shift < 54; ++shift)
    hashed_collisions += collisions_of_shift(build_network(options), shift);
  CHECK(hashed_collisions > 0);
  options.network.path_choice = PathChoice::destination;
  const Network network = build_network(options);
  for (int shift = 1; shift < 54; ++shift) CHECK(collisions_of_shift(network, shift) == 0);
}

}  // namespace
}  // namespace starling
