#include "topologies/networks/wiring.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>

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

TEST_CASE("an override must select something in one way, and say what to change") {
  check_rejected({.bandwidth_Bps = 1e9},
                 "cluster: network: star: overrides[0]: exactly one of link, between, host must be given");
  check_rejected({.link = "*", .host = 1, .bandwidth_Bps = 1e9},
                 "cluster: network: star: overrides[0]: exactly one of link, between, host must be given");
  check_rejected({.host = 1},
                 "cluster: network: star: overrides[0]: changes nothing; give bandwidth or latency");
  check_rejected({.host = 4, .latency_s = 0},
                 "cluster: network: star: overrides[0]: host is 4; it must be from 0 to 3");
  check_rejected({.host = -1, .latency_s = 0},
                 "cluster: network: star: overrides[0]: host is -1; it must be from 0 to 3");
  check_rejected(
      {.link = "host0->switch0", .latency_s = 0},
      "override 0: no link is called \"host0->switch0\"; links are called such as \"host0 -> switch0\"");
  check_rejected(
      {.between = {{"host0", "host1"}}, .latency_s = 0},
      "override 0: no cable joins \"host0\" and \"host1\"; links are called such as \"host0 -> switch0\"");
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
