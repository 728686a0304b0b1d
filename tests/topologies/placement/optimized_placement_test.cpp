#include "topologies/placement/optimized_placement.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "sim/random.hpp"
#include "tests/rounding.hpp"
#include "tests/topologies/networks/clusters.hpp"

namespace starling {
namespace {

PlacementSite site_of(const Network& network) {
  return {.workers = network.workers(),
          .workers_per_host = network.workers_per_host(),
          .hosts = network.hosts(),
          .dimensions = network.dimensions()};
}

TrafficMatrix ring_of(int workers) {
  TrafficMatrix traffic;
  for (Rank rank = 0; rank < workers; ++rank) traffic.push_back({rank, (rank + 1) % workers, 1e9});
  return traffic;
}

PlacementCost cost_of(const TrafficMatrix& traffic, ClusterOptions cluster, std::vector<int> hosts) {
  cluster.placement.hosts = std::move(hosts);
  return placement_cost(traffic, build_network(cluster));
}

std::vector<int> optimized(const TrafficMatrix& traffic, const ClusterOptions& cluster) {
  const Network network = build_network(cluster);
  return optimized_hosts(std::vector<TrafficRounds>{{traffic}}, site_of(network), network);
}

TEST_CASE("the cost of traffic is summed over the links between hosts") {
  const ClusterOptions line = cluster_of(3, LineOptions{.link = test_link});
  const PlacementCost cost = cost_of({{0, 2, 10e9}, {1, 2, 10e9}}, line, {});
  CHECK(cost.total_s == about(3));
  CHECK(cost.bottleneck_s == about(2));
  CHECK(cost_of({{0, 2, 10e9}, {1, 2, 10e9}}, line, {0, 2, 1}).bottleneck_s == about(1));
}

TEST_CASE("traffic within a host costs nothing") {
  ClusterOptions line = cluster_of(4, LineOptions{.link = test_link});
  line.workers_per_host = 2;
  line.intra_host_link = test_link;
  const PlacementCost cost = cost_of({{0, 1, 10e9}, {1, 2, 5e9}}, line, {});
  CHECK(cost.total_s == about(0.5));
  CHECK(cost.bottleneck_s == about(0.5));
  CHECK(cost_of({{0, 1, 10e9}}, line, {}).total_s == 0);
}

TEST_CASE(
    "of placements with an equally busy busiest link the one with less traffic over all links is taken") {
  const ClusterOptions line = cluster_of(4, LineOptions{.link = test_link});
  const TrafficMatrix ends = {{0, 3, 10e9}};
  CHECK(cost_of(ends, line, {}).total_s == about(3));
  CHECK(cost_of(ends, line, optimized(ends, line)).total_s == about(1));
}

TEST_CASE("each of several algorithms counts relative to its traffic in block placement") {
  // The first algorithm would be twice as fast with rank 2 in the middle, the second one is with rank 1
  // there.
  const Network line = build_network(cluster_of(3, LineOptions{.link = test_link}));
  const std::vector<TrafficRounds> both = {{{{0, 2, 1e12}, {1, 2, 1e12}}}, {{{0, 1, 1e9}, {2, 1, 1e9}}}};
  CHECK(optimized_hosts(both, site_of(line), line) == std::vector<int>{0, 1, 2});
  CHECK(optimized_hosts(std::span(both).first(1), site_of(line), line) != std::vector<int>{0, 1, 2});
}

TEST_CASE("traffic that is sent one after the other does not share links") {
  // One-peer gossip: every iteration goes to others. All iterations together, another placement looks better
  // than the blocks, which it is not.
  const ClusterOptions torus = cluster_of(16, TorusOptions{.dimensions = {4, 4}, .link = test_link});
  const Network network = build_network(torus);
  TrafficRounds in_turn(4);
  TrafficMatrix at_once;
  for (int i = 0; i < 4; ++i)
    for (Rank rank = 0; rank < 16; ++rank) {
      in_turn[static_cast<std::size_t>(i)].push_back({rank, (rank + (1 << i)) % 16, 1e9});
      at_once.push_back(in_turn[static_cast<std::size_t>(i)].back());
    }
  const auto in_turn_s = [&](const std::vector<int>& hosts) {
    double sum_s = 0;
    for (const TrafficMatrix& round : in_turn) sum_s += cost_of(round, torus, hosts).bottleneck_s;
    return sum_s;
  };
  CHECK(in_turn_s(optimized(at_once, torus)) > in_turn_s({}));
  const std::vector<TrafficRounds> gossip{in_turn};
  CHECK(in_turn_s(optimized_hosts(gossip, site_of(network), network)) <= in_turn_s({}) * (1 + 1e-9));
}

TEST_CASE("an optimized placement gives a ring links of its own wherever the grid has them") {
  const std::vector<ClusterOptions> grids = {
      cluster_of(32, TorusOptions{.dimensions = {4, 8}, .link = test_link}),
      cluster_of(16, MeshOptions{.dimensions = {4, 4}, .link = test_link}),
      cluster_of(16, HypercubeOptions{.link = test_link})};
  for (const ClusterOptions& grid : grids) {
    const TrafficMatrix ring = ring_of(grid.workers);
    CHECK(cost_of(ring, grid, optimized(ring, grid)).bottleneck_s == about(0.1));
  }
}

TEST_CASE("an optimized placement finds rings numbered at random on networks that have no snake") {
  // Two leaves of four hosts, of which each pair of ranks r and r + 4 exchange: block separates all of them.
  const ClusterOptions tree = cluster_of(
      8, LeafSpineOptions{.hosts_per_leaf = 4, .spines = 1, .link = test_link, .oversubscription = 4});
  TrafficMatrix pairs;
  for (Rank rank = 0; rank < 8; ++rank) pairs.push_back({rank, (rank + 4) % 8, 1e9});
  CHECK(cost_of(pairs, tree, {}).bottleneck_s == about(0.4));
  CHECK(cost_of(pairs, tree, optimized(pairs, tree)).bottleneck_s == about(0.1));
}

TEST_CASE(
    "an optimized placement is never worse than block or snake, keeps blocks together and is deterministic") {
  const CounterRandom random(7, Purpose::graph);
  for (const auto& [name, cluster] : clusters_of_every_kind()) {
    CAPTURE(name);
    TrafficMatrix traffic;
    for (Rank rank = 0; rank < cluster.workers; ++rank)
      for (std::uint32_t i = 0; i < 3; ++i) {
        const auto other = static_cast<Rank>(random.below(static_cast<std::uint64_t>(cluster.workers),
                                                          static_cast<std::uint32_t>(rank), 0, i));
        if (other != rank) traffic.push_back({rank, other, 1e9 * random.uniform(i, 1)});
      }
    const Network network = build_network(cluster);
    const std::vector<int> hosts = optimized(traffic, cluster);
    CHECK(hosts == optimized(traffic, cluster));
    const PlacementCost cost = cost_of(traffic, cluster, hosts);
    CHECK(cost.bottleneck_s <= placement_cost(traffic, network).bottleneck_s * (1 + 1e-9));
    ClusterOptions placed = cluster;
    placed.placement.hosts = hosts;
    CHECK(build_network(placed).has_consecutive_ranks());
    if (network.dimensions().empty()) continue;
    placed.placement = {.name = "snake"};
    CHECK(cost.bottleneck_s <= placement_cost(traffic, build_network(placed)).bottleneck_s * (1 + 1e-9));
  }
}

TEST_CASE("an optimized placement makes no algorithm lose more than others gain") {
  // Neighbors on a torus cannot be placed better than on blocks; what the ring gains elsewhere, they may
  // lose.
  const ClusterOptions torus = cluster_of(16, TorusOptions{.dimensions = {4, 4}, .link = test_link});
  TrafficMatrix neighbors;
  for (Rank rank = 0; rank < 16; ++rank) {
    neighbors.push_back({rank, rank / 4 * 4 + (rank + 1) % 4, 1e9});
    neighbors.push_back({rank, (rank + 4) % 16, 1e9});
  }
  const Network network = build_network(torus);
  const std::vector<TrafficMatrix> both{ring_of(16), neighbors};
  const std::vector<int> hosts =
      optimized_hosts(std::vector<TrafficRounds>{{both[0]}, {both[1]}}, site_of(network), network);
  double ratios = 0;
  for (const TrafficMatrix& traffic : both)
    ratios += cost_of(traffic, torus, hosts).bottleneck_s / placement_cost(traffic, network).bottleneck_s;
  CHECK(ratios <= 2 * (1 + 1e-9));
}

}  // namespace
}  // namespace starling
