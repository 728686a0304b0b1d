#include "topologies/networks/build_fabric.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>
#include <string>

#include "tests/topologies/networks/clusters.hpp"

namespace starling {
namespace {

void check_rejected(int hosts, const NetworkKind& kind, const char* text) {
  CHECK_THROWS_WITH_AS(network_of(hosts, kind), text, std::invalid_argument);
}

/// Checks that options of this kind are refused with this message.
void check_options_rejected(int hosts, const NetworkKind& kind, const std::string& text) {
  check_rejected(hosts, kind, ("cluster: network: " + text).c_str());
}

constexpr LinkOptions slow_link = {.bandwidth_Bps = -1, .latency_s = 0};
constexpr LinkOptions early_link = {.bandwidth_Bps = 1, .latency_s = -2};
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST_CASE("every kind refuses a link without bandwidth") {
  const std::string text = ": link: bandwidth is 0; it must be from 1 to 1e+18";
  check_options_rejected(4, RingOptions{}, "ring" + text);
  check_options_rejected(4, LineOptions{}, "line" + text);
  check_options_rejected(4, HypercubeOptions{}, "hypercube" + text);
  check_options_rejected(4, CompleteOptions{}, "complete" + text);
  check_options_rejected(4, LeafSpineOptions{.hosts_per_leaf = 2, .spines = 1}, "leaf_spine" + text);
  check_options_rejected(4, StarOptions{}, "star: exactly one of link, host_links must be given");
  check_options_rejected(4, TorusOptions{.dimensions = {4}},
                         "torus: exactly one of link, dimension_links must be given");
  check_options_rejected(4, MeshOptions{.dimensions = {4}},
                         "mesh: exactly one of link, dimension_links must be given");
  check_options_rejected(4, FatTreeOptions{.k = 4}, "fat_tree: key \"link\" is missing, expected an object");
  check_options_rejected(4, FatTreeOptions{.levels = {{4, 1}}},
                         "fat_tree: key \"link\" is missing, expected an object");
}

TEST_CASE("bandwidths and latencies that are no quantities are refused with their value") {
  check_options_rejected(4, StarOptions{.link = slow_link},
                         "star: link: bandwidth is -1; it must be from 1 to 1e+18");
  check_options_rejected(4, StarOptions{.link = {nan, 0}},
                         "star: link: bandwidth is nan; it must be from 1 to 1e+18");
  check_options_rejected(4, StarOptions{.link = {std::numeric_limits<double>::infinity(), 0}},
                         "star: link: bandwidth is inf; it must be from 1 to 1e+18");
  check_options_rejected(4, StarOptions{.link = early_link},
                         "star: link: latency is -2; it must be from 0 to 1000000000");
  check_options_rejected(4, StarOptions{.link = {1, nan}},
                         "star: link: latency is nan; it must be from 0 to 1000000000");
}

TEST_CASE("lists of links must have the right length and good entries") {
  check_options_rejected(
      4, StarOptions{.host_links = {test_link, test_link, test_link}},
      "star: host_links: wrong number of links, got 3, expected one for each of the 4 hosts");
  check_options_rejected(2, StarOptions{.host_links = {test_link, slow_link}},
                         "star: host_links[1]: bandwidth is -1; it must be from 1 to 1e+18");
  check_options_rejected(4, TorusOptions{.dimensions = {2, 2}, .dimension_links = {test_link}},
                         "torus: dimension_links: wrong number of links, got 1 links, expected one for each "
                         "of the 2 dimensions");
  check_options_rejected(4, MeshOptions{.dimensions = {2, 2}, .dimension_links = {test_link, early_link}},
                         "mesh: dimension_links[1]: latency is -2; it must be from 0 to 1000000000");
}

TEST_CASE("the dimensions of a torus or mesh must multiply to the number of hosts") {
  check_options_rejected(4, TorusOptions{.link = test_link},
                         "torus: dimensions has 0 sizes, expected at least 1");
  check_options_rejected(4, TorusOptions{.dimensions = {4, 0}, .link = test_link},
                         "torus: dimensions[1] is 0; it must be from 1 to 1048576");
  check_options_rejected(
      15, MeshOptions{.dimensions = {4, 4}, .link = test_link},
      "mesh: dimensions: wrong number of hosts, got [4, 4], expected sizes whose product is 15");
  // The product of these overflows 64 bits to zero.
  check_options_rejected(16,
                         TorusOptions{.dimensions = {1 << 20, 1 << 20, 1 << 20, 1 << 20}, .link = test_link},
                         "torus: dimensions: wrong number of hosts, got [1048576, 1048576, 1048576, "
                         "1048576], expected sizes whose "
                         "product is 16");
}

TEST_CASE("a hypercube needs a power of two") {
  check_options_rejected(
      12, HypercubeOptions{.link = test_link},
      "hypercube: a hypercube needs a power of two of hosts, got 12 hosts, expected 8 or 16");
}

TEST_CASE("a host link belongs to networks with switches") {
  check_options_rejected(
      4, RingOptions{.link = test_link, .host_link = test_link},
      "ring: host_link: there are no switches to link hosts to, expected also \"switches\": true");
  check_options_rejected(4, LineOptions{.link = test_link, .switches = true, .host_link = slow_link},
                         "line: host_link: bandwidth is -1; it must be from 1 to 1e+18");
  check_options_rejected(
      4, TorusOptions{.dimensions = {2, 2}, .dimension_links = {test_link, test_link}, .switches = true},
      "torus: key \"host_link\" is missing: with \"dimension_links\" it has no default");
}

TEST_CASE("a fat tree is given by k or by levels, and has a port for every host") {
  check_options_rejected(4, FatTreeOptions{.link = test_link},
                         "fat_tree: exactly one of k, levels must be given");
  check_options_rejected(4, FatTreeOptions{.k = 4, .levels = {{4, 1}}, .link = test_link},
                         "fat_tree: exactly one of k, levels must be given");
  check_options_rejected(4, FatTreeOptions{.k = 5, .link = test_link},
                         "fat_tree: k: must be even, got 5, expected an even number of ports per switch");
  check_options_rejected(4, FatTreeOptions{.k = 0, .link = test_link},
                         "fat_tree: k is 0; it must be from 2 to 256");
  check_options_rejected(
      17, FatTreeOptions{.k = 4, .link = test_link},
      "fat_tree: k: 17 hosts do not fit on the k³/4 = 16 ports, got 4, expected a larger k");
  check_options_rejected(
      17, FatTreeOptions{.levels = {{4, 1}, {4, 2}}, .link = test_link},
      "fat_tree: levels: 17 hosts do not fit on 16 ports, got 2 elements, expected more down ports");
  check_options_rejected(4, FatTreeOptions{.levels = {{4, 1}, {0, 2}}, .link = test_link},
                         "fat_tree: levels[1]: down is 0; it must be from 1 to 1048576");
  check_options_rejected(4, FatTreeOptions{.levels = {{4, 0}}, .link = test_link},
                         "fat_tree: levels[0]: up is 0; it must be from 1 to 1048576");
  check_options_rejected(4, FatTreeOptions{.levels = {{4, 1, -1}}, .link = test_link},
                         "fat_tree: levels[0]: parallel is -1; it must be from 1 to 1048576");
  check_options_rejected(4, FatTreeOptions{.levels = {{4, 1, 1, early_link}}, .link = test_link},
                         "fat_tree: levels[0]: link: latency is -2; it must be from 0 to 1000000000");
}

TEST_CASE("a leaf and spine network needs ports, spines and one way to size its uplinks") {
  check_options_rejected(4, LeafSpineOptions{.spines = 2, .link = test_link},
                         "leaf_spine: hosts_per_leaf is 0; it must be from 1 to 1048576");
  check_options_rejected(4, LeafSpineOptions{.hosts_per_leaf = 2, .link = test_link},
                         "leaf_spine: spines is 0; it must be from 1 to 1048576");
  check_options_rejected(9,
                         LeafSpineOptions{.hosts_per_leaf = 4, .spines = 1, .link = test_link, .leaves = 2},
                         "leaf_spine: leaves: 9 hosts do not fit, got 2, expected at least 3");
  LeafSpineOptions options = {.hosts_per_leaf = 4, .spines = 2, .link = test_link, .oversubscription = 0};
  check_options_rejected(8, options, "leaf_spine: oversubscription is 0; it must be from 1e-06 to 1000000");
  options.oversubscription = nan;
  check_options_rejected(8, options, "leaf_spine: oversubscription is nan; it must be from 1e-06 to 1000000");
  options.oversubscription = 2;
  options.spine_link = test_link;
  check_rejected(8, options, "leaf_spine: both oversubscription and spine_link are given; give one of them");
  options.oversubscription.reset();
  options.spine_link = early_link;
  check_options_rejected(8, options,
                         "leaf_spine: spine_link: latency is -2; it must be from 0 to 1000000000");
}

TEST_CASE("a graph's cables join two different vertices that exist") {
  check_options_rejected(2, GraphOptions{.switches = -1},
                         "graph: switches is -1; it must be from 0 to 1048576");
  check_rejected(2, GraphOptions{.switches = 1, .cables = {{0, 1, test_link}, {1, 3, test_link}}},
                 "graph: cables[1] joins 1 and 3; give two different vertices of 0 to 2");
  check_rejected(2, GraphOptions{.cables = {{1, 1, test_link}}},
                 "graph: cables[0] joins 1 and 1; give two different vertices of 0 to 1");
  check_options_rejected(2, GraphOptions{.cables = {{0, 1, slow_link}}},
                         "graph: cables[0]: link: bandwidth is -1; it must be from 1 to 1e+18");
}

TEST_CASE("networks too large to build are refused before anything is allocated") {
  const int most = most_ports;
  check_rejected(100000, CompleteOptions{.link = test_link},
                 "complete: this network has 4999950000 cables; the most that can be built is 8388608");
  check_rejected(most_workers, HypercubeOptions{.link = test_link},
                 "hypercube: this network has 10485760 cables; the most that can be built is 8388608");
  check_rejected(most_workers,
                 TorusOptions{.dimensions = {1 << 10, 1 << 10, 1, 1, 1, 1, 1, 1, 1}, .link = test_link},
                 "torus: this network has 9437184 cables; the most that can be built is 8388608");
  check_rejected(16, FatTreeOptions{.k = 256, .link = test_link},
                 "fat_tree: this network has 12582912 cables; the most that can be built is 8388608");
  check_rejected(16, FatTreeOptions{.levels = {{4, most, most}, {4, most}}, .link = test_link},
                 "fat_tree: this network has 21990232555520 cables; the most that can be built is 8388608");
  check_rejected(16, LeafSpineOptions{.hosts_per_leaf = 1, .spines = most, .link = test_link},
                 "leaf_spine: this network has 16777232 cables; the most that can be built is 8388608");
}

}  // namespace
}  // namespace starling
