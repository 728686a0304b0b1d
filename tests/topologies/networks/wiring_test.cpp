#include "topologies/networks/wiring.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/rounding.hpp"
#include "tests/topologies/networks/clusters.hpp"

namespace starling {
namespace {

Network with_overrides(ClusterOptions options, std::vector<LinkOverride> overrides) {
  options.network.overrides = std::move(overrides);
  return build_network(options);
}

Network star_with(std::vector<LinkOverride> overrides) {
  return with_overrides(cluster_of(4, StarOptions{.link = test_link}), std::move(overrides));
}

void check_rejected(const LinkOverride& change, const char* text) {
  CHECK_THROWS_WITH_AS(star_with({change}), text, std::invalid_argument);
}

TEST_CASE("parallel cables are numbered from the second on") {
  const Network network = network_of(2, FatTreeOptions{.levels = {{2, 1, 3}}, .link = test_link});
  CHECK(network.links()[0].name == "host0 -> level1_switch0");
  CHECK(network.links()[1].name == "host0 -> level1_switch0 #2");
  CHECK(network.links()[2].name == "host0 -> level1_switch0 #3");
  CHECK(network.links()[3].name == "host1 -> level1_switch0");
}

TEST_CASE("each host of a star may have a link of its own") {
  const Network network = network_of(3, StarOptions{.host_links = {{1e9, 1e-6}, {2e9, 2e-6}, {3e9, 3e-6}}});
  CHECK(network.bandwidth_Bps(1, 2) == 2e9);
  CHECK(network.bandwidth_Bps(0, 2) == 1e9);
  CHECK(network.alpha_s(1, 2) == about(5e-6));
}

TEST_CASE("an override by name changes one direction") {
  const Network network = star_with({{.link = "host3 -> switch0", .bandwidth_Bps = 1e9}});
  CHECK(network.bandwidth_Bps(3, 0) == 1e9);
  CHECK(network.bandwidth_Bps(0, 3) == 10e9);
  CHECK(network.alpha_s(3, 0) == 2e-6);
}

TEST_CASE("an override by host changes all its links, one between vertices both directions") {
  for (const LinkOverride& change :
       {LinkOverride{.host = 2, .bandwidth_Bps = 1e9, .latency_s = 5e-6},
        LinkOverride{.between = {{"host2", "switch0"}}, .bandwidth_Bps = 1e9, .latency_s = 5e-6},
        LinkOverride{.between = {{"switch*", "host2"}}, .bandwidth_Bps = 1e9, .latency_s = 5e-6}}) {
    const Network network = star_with({change});
    CHECK(network.bandwidth_Bps(2, 0) == 1e9);
    CHECK(network.bandwidth_Bps(0, 2) == 1e9);
    CHECK(network.alpha_s(0, 2) == about(6e-6));
    CHECK(network.bandwidth_Bps(0, 1) == 10e9);
  }
}

TEST_CASE("a name selects what is called so, whatever it would be as a pattern") {
  Fabric fabric;
  fabric.hosts = 2;
  fabric.vertices = {{VertexKind::host, "node[0]"}, {VertexKind::host, "node[1]"}};
  fabric.cables.push_back({0, 1, test_link});
  std::vector<Link> links = links_of(fabric);
  const std::vector<LinkOverride> changes = {{.link = "node[0] -> node[1]", .latency_s = 1},
                                             {.between = {{"node[1]", "node[0]"}}, .bandwidth_Bps = 5}};
  apply_overrides(changes, fabric, links);
  CHECK(links[0].latency_s == 1);
  CHECK(links[1].latency_s == test_link.latency_s);
  for (const Link& link : links) CHECK(link.bandwidth_Bps == 5);
}

TEST_CASE("later overrides win over earlier ones, and leave alone what they do not give") {
  const Network network = star_with({{.link = "* -> switch0", .bandwidth_Bps = 1e9, .latency_s = 4e-6},
                                     {.link = "host1 -> *", .bandwidth_Bps = 2e9}});
  CHECK(network.bandwidth_Bps(0, 1) == 1e9);
  CHECK(network.bandwidth_Bps(1, 0) == 2e9);
  CHECK(network.alpha_s(1, 0) == about(5e-6));
}

TEST_CASE("overrides do not reach the links inside a host") {
  ClusterOptions options = cluster_of(4, StarOptions{.link = test_link});
  options.workers_per_host = 2;
  options.intra_host_link = test_link;
  const Network network = with_overrides(options, {{.link = "*", .bandwidth_Bps = 1e9}});
  CHECK(network.bandwidth_Bps(0, 1) == 10e9);
  CHECK(network.bandwidth_Bps(0, 2) == 1e9);
}

/// The names of a route's links.
std::vector<std::string> way(const Network& network, Rank source, Rank destination) {
  std::vector<std::string> names;
  for (const LinkIndex link : network.route(source, destination))
    names.push_back(network.links()[index_of(link)].name);
  return names;
}

void check_same_ways(const Network& network, const Network& expected) {
  REQUIRE(network.workers() == expected.workers());
  REQUIRE(network.links().size() == expected.links().size());
  for (Rank source = 0; source < network.workers(); ++source)
    for (Rank destination = 0; destination < network.workers(); ++destination)
      if (source != destination)
        CHECK(way(network, source, destination) == way(expected, source, destination));
}

TEST_CASE("a ring without one of its cables is a line") {
  for (const LinkOverride& change : {LinkOverride{.between = {{"host6", "host0"}}, .has_failed = true},
                                     LinkOverride{.link = "host0 -> host6", .has_failed = true}})
    check_same_ways(with_overrides(cluster_of(7, RingOptions{.link = test_link}), {change}),
                    network_of(7, LineOptions{.link = test_link}));
}

TEST_CASE("without a cable, routes of a torus are those of a graph that never had it") {
  const ClusterOptions torus = cluster_of(12, TorusOptions{.dimensions = {4, 3}, .link = test_link});
  GraphOptions left;
  const Network whole = build_network(torus);
  for (const Link& link : whole.links())
    if (link.from_vertex < link.to_vertex && link.name != "host4 -> host5")
      left.cables.push_back({link.from_vertex, link.to_vertex, test_link});
  const Network network = with_overrides(torus, {{.between = {{"host5", "host4"}}, .has_failed = true}});
  check_same_ways(network, network_of(12, left));
  CHECK(way(whole, 4, 5).size() == 1);
  CHECK(way(network, 4, 5).size() == 2);
  CHECK(network.diameter() == whole.diameter());
}

TEST_CASE("where an uplink has failed, what is left carries all") {
  const Network network = with_overrides(
      cluster_of(8, LeafSpineOptions{.hosts_per_leaf = 2, .spines = 2, .link = test_link}),
      {{.between = {{"leaf0", "spine1"}}, .has_failed = true}, {.link = "leaf0 -> *", .bandwidth_Bps = 1e9}});
  bool do_others_take_it = false;
  for (Rank source = 0; source < 8; ++source)
    for (Rank destination = 0; destination < 8; ++destination) {
      if (source / 2 == destination / 2) continue;
      const std::string up = way(network, source, destination).at(1);
      const bool is_over_spine_1 = up.ends_with("spine1");
      if (source < 2 || destination < 2)
        CHECK_FALSE(is_over_spine_1);
      else
        do_others_take_it = do_others_take_it || is_over_spine_1;
    }
  CHECK(do_others_take_it);
  CHECK(network.bandwidth_Bps(0, 7) == 1e9);
}

TEST_CASE("of parallel cables one may fail") {
  const Network network =
      with_overrides(cluster_of(2, FatTreeOptions{.levels = {{2, 1, 3}}, .link = test_link}),
                     {{.link = "host0 -> level1_switch0 #2", .has_failed = true}});
  CHECK(network.links().size() == 10);
  CHECK(network.links()[2].name == "host1 -> level1_switch0");
}

TEST_CASE("a cable that is said not to have failed is there") {
  check_same_ways(star_with({{.host = 1, .has_failed = false}}), star_with({}));
}

TEST_CASE("cables cannot fail that hosts are lost without, nor where routes are not simply the shortest") {
  check_rejected({.host = 2, .has_failed = true},
                 "no path connects host0 and host2; there must be a path between every two hosts");
  check_rejected({.host = 2, .latency_s = 0, .has_failed = true},
                 "cluster: network: star: overrides[0]: failed: a removed cable has neither bandwidth nor "
                 "latency, got true, expected no other change");
  check_rejected(
      {.link = "host0 -> host1", .has_failed = true},
      "override 0: no link is named \"host0 -> host1\"; links have names such as \"host0 -> switch0\"");
  CHECK_THROWS_WITH_AS(with_overrides(cluster_of(72, DragonflyOptions{.link = test_link}),
                                      {{.host = 2, .latency_s = 0}, {.host = 2, .has_failed = true}}),
                       "no cable of this network can be removed, as its routes are not simply the shortest; "
                       "describe the remaining network by kind \"graph\" or \"file\"",
                       std::invalid_argument);
  ClusterOptions rails = cluster_of(8, RailOptions{.link = test_link});
  rails.workers_per_host = 2;
  rails.nics_per_host = 2;
  rails.intra_host_link = test_link;
  CHECK_THROWS_AS(with_overrides(rails, {{.host = 2, .has_failed = true}}), std::invalid_argument);
}

TEST_CASE("an override must select something in one way, and say what to change") {
  check_rejected({.bandwidth_Bps = 1e9},
                 "cluster: network: star: overrides[0]: exactly one of link, between, host must be given");
  check_rejected({.link = "*", .host = 1, .bandwidth_Bps = 1e9},
                 "cluster: network: star: overrides[0]: exactly one of link, between, host must be given");
  check_rejected({.host = 1},
                 "cluster: network: star: overrides[0]: changes nothing; give bandwidth or latency or "
                 "failed");
  check_rejected({.host = 4, .latency_s = 0},
                 "cluster: network: star: overrides[0]: host is 4; it must be from 0 to 3");
  check_rejected({.host = -1, .latency_s = 0},
                 "cluster: network: star: overrides[0]: host is -1; it must be from 0 to 3");
  check_rejected(
      {.link = "host0->switch0", .latency_s = 0},
      "override 0: no link is named \"host0->switch0\"; links have names such as \"host0 -> switch0\"");
  check_rejected(
      {.between = {{"host0", "host1"}}, .latency_s = 0},
      "override 0: no cable connects \"host0\" and \"host1\"; links have names such as \"host0 -> switch0\"");
  CHECK_THROWS_WITH_AS(
      with_overrides(cluster_of(1, RingOptions{.link = test_link}), {{.link = "*", .latency_s = 0}}),
      "override 0: no link is named \"*\"; there are none", std::invalid_argument);
}

TEST_CASE("an override is held to the same bounds as any link") {
  check_rejected({.host = 1, .bandwidth_Bps = 0},
                 "cluster: network: star: overrides[0]: bandwidth is 0; it must be from 1 to 1e+18");
  check_rejected({.host = 1, .bandwidth_Bps = std::numeric_limits<double>::infinity()},
                 "cluster: network: star: overrides[0]: bandwidth is inf; it must be from 1 to 1e+18");
  check_rejected({.host = 1, .latency_s = -1e-6},
                 "cluster: network: star: overrides[0]: latency is -1e-06; it must be from 0 to 1000000000");
}

TEST_CASE("an override is named by its place in the list") {
  CHECK_THROWS_WITH_AS(star_with({{.host = 1, .latency_s = 0}, {.host = 9, .latency_s = 0}}),
                       "cluster: network: star: overrides[1]: host is 9; it must be from 0 to 3",
                       std::invalid_argument);
}

}  // namespace
}  // namespace starling
