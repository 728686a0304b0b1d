#include "topologies/facts/distances.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>

#include "tests/rounding.hpp"
#include "tests/topologies/networks/clusters.hpp"

namespace starling {
namespace {

DistanceFacts distances_of(const ClusterOptions& cluster, std::int64_t most_visits = 1'000'000'000) {
  const Network network = build_network(cluster);
  return distance_facts(cluster, network, Cabling(network), most_visits);
}

/// Mean hops in a closed or open dimension of `size` places, over all ordered pairs, equal ones included.
double mean_in_circle(int size) { return size % 2 == 0 ? size / 4.0 : (size * size - 1) / (4.0 * size); }
double mean_in_line(int size) { return (size * size - 1.0) / (3 * size); }
/// The mean without the pairs of a host and itself.
double without_itself(double mean, int hosts) { return mean * hosts / (hosts - 1); }

struct ExpectedDistances {
  ClusterOptions cluster;
  int diameter;
  double mean_hops;
};

TEST_CASE("diameter and mean hops are those of the closed forms") {
  const LinkOptions link = test_link;
  const std::vector<ExpectedDistances> all = {
      {cluster_of(9, StarOptions{.link = link}), 2, 2},
      {cluster_of(8, RingOptions{.link = link}), 4, without_itself(mean_in_circle(8), 8)},
      {cluster_of(7, RingOptions{.link = link}), 3, without_itself(mean_in_circle(7), 7)},
      {cluster_of(6, LineOptions{.link = link}), 5, 7 / 3.0},
      {cluster_of(60, TorusOptions{.dimensions = {4, 3, 5}, .link = link}), 5,
       without_itself(mean_in_circle(4) + mean_in_circle(3) + mean_in_circle(5), 60)},
      {cluster_of(12, TorusOptions{.dimensions = {4, 3}, .link = link, .switches = true}), 5,
       2 + without_itself(mean_in_circle(4) + mean_in_circle(3), 12)},
      {cluster_of(24, MeshOptions{.dimensions = {4, 3, 2}, .link = link}), 6,
       without_itself(mean_in_line(4) + mean_in_line(3) + mean_in_line(2), 24)},
      {cluster_of(64, HypercubeOptions{.link = link}), 6, without_itself(3, 64)},
      {cluster_of(6, CompleteOptions{.link = link}), 1, 1},
      // From any host 3 others are on the same switch, 12 in the same pod and 112 elsewhere.
      {cluster_of(128, FatTreeOptions{.k = 8, .link = link}), 6, (2 * 3 + 4 * 12 + 6 * 112) / 127.0},
      {cluster_of(16, LeafSpineOptions{.hosts_per_leaf = 4, .spines = 2, .link = link}), 4,
       (2 * 3 + 4 * 12) / 15.0},
  };
  for (const ExpectedDistances& expected : all) {
    const DistanceFacts facts = distances_of(expected.cluster);
    CHECK(facts.diameter == expected.diameter);
    CHECK(facts.mean_hops == about(expected.mean_hops));
    CHECK(facts.mean_hops_standard_error == 0);
  }
}

TEST_CASE("hosts of a network whose cables have failed are not taken for equivalent") {
  ClusterOptions cluster = cluster_of(9, RingOptions{.link = test_link});
  cluster.network.overrides = {{.between = std::array<std::string, 2>{"host4", "host5"}, .has_failed = true}};
  const DistanceFacts facts = distances_of(cluster);
  CHECK(facts.diameter == 8);
  CHECK(facts.mean_hops == about(without_itself(mean_in_line(9), 9)));
}

TEST_CASE("in every kind of network diameter and mean hops are those of a search from every host") {
  for (const auto& [name, cluster] : clusters_of_every_kind()) {
    CAPTURE(name);
    const Network network = build_network(cluster);
    if (network.hosts() < 2) continue;
    const DistanceFacts facts = distances_of(cluster);
    CHECK(facts.diameter == network.diameter());
    double hops = 0;
    const Cabling cabling(network);
    for (int host = 0; host < network.hosts(); ++host) {
      std::vector<int> distance(static_cast<std::size_t>(cabling.vertices), -1);
      std::vector<int> queue{host};
      distance[static_cast<std::size_t>(host)] = 0;
      for (std::size_t next = 0; next < queue.size(); ++next)
        for (const int neighbor : cabling.neighbors(queue[next]))
          if (distance[static_cast<std::size_t>(neighbor)] < 0) {
            distance[static_cast<std::size_t>(neighbor)] =
                distance[static_cast<std::size_t>(queue[next])] + 1;
            queue.push_back(neighbor);
          }
      for (int other = 0; other < network.hosts(); ++other) hops += distance[static_cast<std::size_t>(other)];
    }
    CHECK(facts.mean_hops == about(hops / network.hosts() / (network.hosts() - 1)));
  }
}

TEST_CASE("the mean hops of sampled hosts are off by no more than four of the standard errors told") {
  const ClusterOptions mesh = cluster_of(1024, MeshOptions{.dimensions = {32, 32}, .link = test_link});
  const DistanceFacts sampled = distances_of(mesh, 500'000);
  CHECK(sampled.over == MeanOver::sampled_hosts);
  CHECK(sampled.sources < 200);
  CHECK(sampled.diameter == 62);
  CHECK(sampled.mean_hops_standard_error > 0);
  const double exact = without_itself(2 * mean_in_line(32), 1024);
  CHECK(std::abs(sampled.mean_hops - exact) < 4 * sampled.mean_hops_standard_error);
  CHECK(distances_of(mesh).over == MeanOver::every_host);
}

TEST_CASE("the standard error is that of a sample without replacement, and the diameter is not sampled") {
  // A line 1 – 0 – 2 – 3 – … – 63, of which every fourth host from 0 on is looked at: no end of it.
  constexpr int hosts = 64;
  constexpr int sources = 16;
  GraphOptions line{.cables = {{1, 0, test_link}, {0, 2, test_link}}};
  for (int host = 3; host < hosts; ++host) line.cables.push_back({host - 1, host, test_link});
  const DistanceFacts facts = distances_of(cluster_of(hosts, line), 0);
  CHECK(facts.over == MeanOver::sampled_hosts);
  CHECK(facts.sources == sources);
  CHECK(facts.diameter == hosts - 1);
  std::vector<double> means;
  for (int host = 0; host < hosts; host += hosts / sources) {
    const int before = host == 0 ? 1 : host;  // hosts on one side,
    const int after = hosts - 1 - before;     // and on the other
    means.push_back((before * (before + 1) + after * (after + 1)) / 2.0 / (hosts - 1));
  }
  double mean = 0;
  double variance = 0;
  for (const double one : means) mean += one / sources;
  for (const double one : means) variance += (one - mean) * (one - mean) / (sources - 1);
  CHECK(facts.mean_hops == about(mean));
  CHECK(facts.mean_hops_standard_error == about(std::sqrt(variance / sources * (1 - 1.0 * sources / hosts))));
}

TEST_CASE("paths lead through hosts only where these forward") {
  // Host 2 is between hosts 0 and 1; around it lead two switches.
  GraphOptions graph{
      .switches = 2,
      .cables = {
          {0, 2, test_link}, {2, 1, test_link}, {0, 3, test_link}, {3, 4, test_link}, {4, 1, test_link}}};
  const ClusterOptions forwarding = cluster_of(3, graph);
  graph.hosts_forward = false;
  const ClusterOptions silent = cluster_of(3, graph);
  CHECK(distances_of(forwarding).diameter == 2);
  CHECK(distances_of(forwarding).mean_hops == about(4 / 3.0));
  CHECK(distances_of(silent).diameter == 3);
  CHECK(distances_of(silent).mean_hops == about(5 / 3.0));
  CHECK(disjoint_paths(Cabling(build_network(forwarding))).between_hosts == 2);
  CHECK(disjoint_paths(Cabling(build_network(silent))).between_hosts == 1);
}

TEST_CASE("the lengths of routes are told, too, where routes need not be shortest") {
  CHECK_FALSE(route_lengths(build_network(cluster_of(9, StarOptions{.link = test_link}))));
  DragonflyOptions dragonfly{
      .routers_per_group = 4, .hosts_per_router = 2, .global_links_per_router = 2, .link = test_link};
  const auto minimal = route_lengths(build_network(cluster_of(72, dragonfly)));
  REQUIRE(minimal);
  CHECK(minimal->pairs == 72 * 71);
  CHECK(minimal->longest == 5);
  // One other host is on the same router, 6 are in the group. To the 64 others the route takes two host
  // links, a global link and, on either side with probability 3/4, a local link to the router of the global
  // one.
  CHECK(minimal->mean_links == about((2 + 6 * 3 + 64 * (3 + 0.75 + 0.75)) / 71));
  dragonfly.routing = DragonflyRouting::valiant;
  const auto valiant = route_lengths(build_network(cluster_of(72, dragonfly)));
  REQUIRE(valiant);
  CHECK(valiant->longest == 7);
  CHECK(valiant->mean_links > minimal->mean_links);
}

TEST_CASE("shortest paths are counted") {
  // Of a hypercube of three dimensions: 1 to each of 3 neighbors, 2 to each of 3, 6 to the farthest.
  const DistanceFacts cube = distances_of(cluster_of(8, HypercubeOptions{.link = test_link}));
  CHECK(cube.mean_shortest_paths == about(15 / 7.0));
  CHECK(cube.least_shortest_paths == 1);
  // Of a fat tree with k = 4: 1 on the switch, 2 in the pod, 4 elsewhere.
  const DistanceFacts tree = distances_of(cluster_of(16, FatTreeOptions{.k = 4, .link = test_link}));
  CHECK(tree.mean_shortest_paths == about((1 + 2 * 2 + 12 * 4) / 15.0));
  // Parallel cables are paths of their own: two up and two down.
  const ClusterOptions parallel =
      cluster_of(4, FatTreeOptions{.levels = {{.down = 4, .up = 1, .parallel = 2}}, .link = test_link});
  CHECK(distances_of(parallel).mean_shortest_paths == 4);
}

TEST_CASE("paths without a common link are counted") {
  const auto paths_of = [](const ClusterOptions& cluster) {
    return disjoint_paths(Cabling(build_network(cluster)));
  };
  CHECK(paths_of(cluster_of(9, StarOptions{.link = test_link})).between_hosts == 1);
  CHECK_FALSE(paths_of(cluster_of(9, StarOptions{.link = test_link})).between_switches);  // all on one
  CHECK(paths_of(cluster_of(8, RingOptions{.link = test_link})).between_hosts == 2);
  CHECK(paths_of(cluster_of(5, LineOptions{.link = test_link})).between_hosts == 1);
  CHECK(paths_of(cluster_of(36, TorusOptions{.dimensions = {6, 6}, .link = test_link})).between_hosts == 4);
  CHECK(paths_of(cluster_of(16, HypercubeOptions{.link = test_link})).between_hosts == 4);
  CHECK(paths_of(cluster_of(7, CompleteOptions{.link = test_link})).between_hosts == 6);
  const DisjointPaths tree = paths_of(cluster_of(54, FatTreeOptions{.k = 6, .link = test_link}));
  CHECK(tree.pairs == 64);
  CHECK(tree.between_hosts == 1);
  CHECK(tree.between_switches == 3);
  // A search that takes the middle cable first must give it up to find both paths.
  const GraphOptions bridged{
      .switches = 2,
      .cables = {
          {0, 2, test_link}, {0, 3, test_link}, {2, 3, test_link}, {2, 1, test_link}, {3, 1, test_link}}};
  CHECK(paths_of(cluster_of(2, bridged)).between_hosts == 2);
}

}  // namespace
}  // namespace starling
