#include "topologies/networks/build_fabric.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>

#include "tests/topologies/networks/clusters.hpp"

namespace starling {
namespace {

void check_rejected(int hosts, const NetworkKind& kind, const char* text) {
  CHECK_THROWS_WITH_AS(build_fabric(hosts, kind), text, std::invalid_argument);
}

constexpr LinkOptions slow_link = {.bandwidth_Bps = -1, .latency_s = 0};
constexpr LinkOptions early_link = {.bandwidth_Bps = 1, .latency_s = -2};
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST_CASE("every kind refuses a link without bandwidth") {
  const std::string text = "link: bandwidth must be positive and finite, got 0 B/s";
  check_rejected(4, StarOptions{}, ("star: " + text).c_str());
  check_rejected(4, RingOptions{}, ("ring: " + text).c_str());
  check_rejected(4, LineOptions{}, ("line: " + text).c_str());
  check_rejected(4, TorusOptions{.dimensions = {4}}, ("torus: " + text).c_str());
  check_rejected(4, MeshOptions{.dimensions = {4}}, ("mesh: " + text).c_str());
  check_rejected(4, HypercubeOptions{}, ("hypercube: " + text).c_str());
  check_rejected(4, CompleteOptions{}, ("complete: " + text).c_str());
  check_rejected(4, FatTreeOptions{.k = 4}, ("fat_tree: " + text).c_str());
  check_rejected(4, FatTreeOptions{.levels = {{4, 1}}}, ("fat_tree: " + text).c_str());
  check_rejected(4, LeafSpineOptions{.hosts_per_leaf = 2, .spines = 1}, ("leaf_spine: " + text).c_str());
}

TEST_CASE("bandwidths and latencies that are no quantities are refused with their value") {
  check_rejected(4, StarOptions{.link = slow_link},
                 "star: link: bandwidth must be positive and finite, got -1 B/s");
  check_rejected(4, StarOptions{.link = {nan, 0}},
                 "star: link: bandwidth must be positive and finite, got nan B/s");
  check_rejected(4, StarOptions{.link = {std::numeric_limits<double>::infinity(), 0}},
                 "star: link: bandwidth must be positive and finite, got inf B/s");
  check_rejected(4, StarOptions{.link = early_link},
                 "star: link: latency must be at least 0 and finite, got -2 s");
  check_rejected(4, StarOptions{.link = {1, nan}},
                 "star: link: latency must be at least 0 and finite, got nan s");
}

TEST_CASE("lists of links must have the right length and good entries") {
  check_rejected(4, StarOptions{.host_links = {test_link, test_link, test_link}},
                 "star: host_links has 3 entries for 4 hosts; give one for each or none");
  check_rejected(2, StarOptions{.host_links = {test_link, slow_link}},
                 "star: host_links[1]: bandwidth must be positive and finite, got -1 B/s");
  check_rejected(4, TorusOptions{.dimensions = {2, 2}, .dimension_links = {test_link}},
                 "torus: dimension_links has 1 entries for 2 dimensions; give one for each or none");
  check_rejected(4, MeshOptions{.dimensions = {2, 2}, .dimension_links = {test_link, early_link}},
                 "mesh: dimension_links[1]: latency must be at least 0 and finite, got -2 s");
}

TEST_CASE("the dimensions of a torus or mesh must multiply to the number of hosts") {
  check_rejected(4, TorusOptions{.link = test_link},
                 "torus: dimensions is empty; give the size of at least one, such as [4, 4]");
  check_rejected(4, TorusOptions{.dimensions = {4, 0}, .link = test_link},
                 "torus: dimensions[1] must be at least 1, got 0");
  check_rejected(
      15, MeshOptions{.dimensions = {4, 4}, .link = test_link},
      "mesh: dimensions 4 x 4 have 16 places, the cluster has 15 hosts; their product must be the number "
      "of hosts");
  // The product of these overflows 64 bits to zero.
  check_rejected(
      16, TorusOptions{.dimensions = {1 << 22, 1 << 22, 1 << 22}, .link = test_link},
      "torus: dimensions 4194304 x 4194304 x 4194304 have 73786976294838206464 places, the cluster has 16 "
      "hosts; their product must be the number of hosts");
}

TEST_CASE("a hypercube needs a power of two") {
  check_rejected(12, HypercubeOptions{.link = test_link},
                 "hypercube: the cluster has 12 hosts; their number must be a power of two, such as 8 or 16");
}

TEST_CASE("a host link belongs to networks with switches") {
  check_rejected(4, RingOptions{.link = test_link, .host_link = test_link},
                 "ring: host_link is given but switches is false; set switches to true");
  check_rejected(4, LineOptions{.link = test_link, .switches = true, .host_link = slow_link},
                 "line: host_link: bandwidth must be positive and finite, got -1 B/s");
  check_rejected(
      4, TorusOptions{.dimensions = {2, 2}, .dimension_links = {test_link, test_link}, .switches = true},
      "torus: host_link: bandwidth must be positive and finite, got 0 B/s");
}

TEST_CASE("a fat tree is given by k or by levels, and has a port for every host") {
  check_rejected(4, FatTreeOptions{.link = test_link},
                 "fat_tree: neither k nor levels is given; give one of them");
  check_rejected(4, FatTreeOptions{.k = 4, .levels = {{4, 1}}, .link = test_link},
                 "fat_tree: both k and levels are given; give one of them");
  check_rejected(4, FatTreeOptions{.k = 5, .link = test_link},
                 "fat_tree: k must be even and at least 2, got 5");
  check_rejected(4, FatTreeOptions{.k = 0, .link = test_link},
                 "fat_tree: k must be even and at least 2, got 0");
  check_rejected(17, FatTreeOptions{.k = 4, .link = test_link},
                 "fat_tree: k = 4 has ports for 16 hosts, the cluster has 17; k must be at least 6");
  check_rejected(17, FatTreeOptions{.levels = {{4, 1}, {4, 2}}, .link = test_link},
                 "fat_tree: there are ports for 16 hosts, the cluster has 17");
  check_rejected(4, FatTreeOptions{.levels = {{4, 1}, {0, 2}}, .link = test_link},
                 "fat_tree: levels[1].down must be at least 1, got 0");
  check_rejected(4, FatTreeOptions{.levels = {{4, 0}}, .link = test_link},
                 "fat_tree: levels[0].up must be at least 1, got 0");
  check_rejected(4, FatTreeOptions{.levels = {{4, 1, -1}}, .link = test_link},
                 "fat_tree: levels[0].parallel must be at least 1, got -1");
  check_rejected(4, FatTreeOptions{.levels = {{4, 1, 1, early_link}}, .link = test_link},
                 "fat_tree: levels[0].link: latency must be at least 0 and finite, got -2 s");
}

TEST_CASE("a leaf and spine network needs ports, spines and one way to size its uplinks") {
  check_rejected(4, LeafSpineOptions{.spines = 2, .link = test_link},
                 "leaf_spine: hosts_per_leaf must be at least 1, got 0");
  check_rejected(4, LeafSpineOptions{.hosts_per_leaf = 2, .link = test_link},
                 "leaf_spine: spines must be at least 1, got 0");
  check_rejected(9, LeafSpineOptions{.hosts_per_leaf = 4, .spines = 1, .link = test_link, .leaves = 2},
                 "leaf_spine: leaves must be at least 3, got 2");
  LeafSpineOptions options = {.hosts_per_leaf = 4, .spines = 2, .link = test_link, .oversubscription = 0};
  check_rejected(8, options, "leaf_spine: oversubscription must be positive and finite, got 0");
  options.oversubscription = nan;
  check_rejected(8, options, "leaf_spine: oversubscription must be positive and finite, got nan");
  options.oversubscription = 1e-320;
  check_rejected(
      8, options,
      "leaf_spine: spine link from oversubscription: bandwidth must be positive and finite, got inf B/s");
  options.spine_link = test_link;
  check_rejected(8, options, "leaf_spine: both oversubscription and spine_link are given; give one of them");
  options.oversubscription.reset();
  options.spine_link = early_link;
  check_rejected(8, options, "leaf_spine: spine_link: latency must be at least 0 and finite, got -2 s");
}

TEST_CASE("a graph's cables join two different vertices that exist") {
  check_rejected(2, GraphOptions{.switches = -1}, "graph: switches must be at least 0, got -1");
  check_rejected(2, GraphOptions{.switches = 1, .cables = {{0, 1, test_link}, {1, 3, test_link}}},
                 "graph: cables[1] joins 1 and 3; give two different vertices of 0 to 2");
  check_rejected(2, GraphOptions{.cables = {{1, 1, test_link}}},
                 "graph: cables[0] joins 1 and 1; give two different vertices of 0 to 1");
  check_rejected(2, GraphOptions{.cables = {{0, 1, slow_link}}},
                 "graph: cables[0]: bandwidth must be positive and finite, got -1 B/s");
}

TEST_CASE("networks too large to build are refused before anything is allocated") {
  const int most = std::numeric_limits<int>::max();
  check_rejected(100000, CompleteOptions{.link = test_link},
                 "complete: this network has 4999950000 cables; the most that can be built is 8388608");
  check_rejected(most, StarOptions{.link = test_link},
                 "star: this network has 2147483647 cables; the most that can be built is 8388608");
  check_rejected(most, RingOptions{.link = test_link},
                 "ring: this network has 2147483647 cables; the most that can be built is 8388608");
  check_rejected(1 << 30, HypercubeOptions{.link = test_link},
                 "hypercube: this network has 16106127360 cables; the most that can be built is 8388608");
  check_rejected(1 << 30, TorusOptions{.dimensions = {1 << 15, 1 << 15}, .link = test_link},
                 "torus: this network has 2147483648 cables; the most that can be built is 8388608");
  check_rejected(16, FatTreeOptions{.k = 2000, .link = test_link},
                 "fat_tree: this network has 6000000000 cables; the most that can be built is 8388608");
  check_rejected(
      16, FatTreeOptions{.levels = {{4, most, most}, {4, most}}, .link = test_link},
      "fat_tree: this network has 92233720282648412160 cables; the most that can be built is 8388608");
  check_rejected(16, LeafSpineOptions{.hosts_per_leaf = 1, .spines = most, .link = test_link},
                 "leaf_spine: this network has 34359738368 cables; the most that can be built is 8388608");
}

}  // namespace
}  // namespace starling
