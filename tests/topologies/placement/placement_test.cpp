#include "topologies/placement/placement.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "tests/topologies/networks/clusters.hpp"

namespace starling {
namespace {

using Hosts = std::vector<int>;

Hosts placed(const std::string& name, const PlacementSite& site, std::uint64_t seed = 1) {
  return hosts_of_ranks({.name = name, .seed = seed}, site);
}

Network placed_network(ClusterOptions options, const PlacementOptions& placement) {
  options.placement = placement;
  return build_network(options);
}

ClusterOptions torus_of_pairs() {
  return {.workers = 16,
          .workers_per_host = 2,
          .network = {.kind = TorusOptions{.dimensions = {2, 4}, .link = test_link}},
          .intra_host_link = test_link};
}

TEST_CASE("each placement puts ranks on the hosts of its definition") {
  const PlacementSite site{.workers = 7, .workers_per_host = 2, .hosts = 4};
  CHECK(placed("block", site).empty());
  CHECK(placed("optimized", site).empty());
  CHECK(placed("round_robin", site) == Hosts{0, 1, 2, 3, 0, 1, 2});
  CHECK(hosts_of_ranks({.hosts = {3, 0, 0, 1, 1, 2, 2}}, site) == Hosts{3, 0, 0, 1, 1, 2, 2});
}

TEST_CASE("a placement is consecutive if hosts have equally many successive ranks, except for the last") {
  CHECK(ranks_of_each_host(Hosts{3}) == 1);
  CHECK(ranks_of_each_host(Hosts{0, 1, 2}) == 1);
  CHECK(ranks_of_each_host(Hosts{5, 5, 2, 2, 7, 7}) == 2);
  CHECK(ranks_of_each_host(Hosts{0, 0, 0, 1}) == 3);
  CHECK(ranks_of_each_host(Hosts{0, 0, 1, 2, 2}) == 0);
  CHECK(ranks_of_each_host(Hosts{0, 1, 1}) == 0);
  CHECK(ranks_of_each_host(Hosts{0, 0, 0, 0}) == 4);
}

TEST_CASE("a host that has ranks at several places has not as many one after the other") {
  CHECK(ranks_of_each_host(Hosts{0, 0, 1, 1, 0, 0}) == 0);
  CHECK(ranks_of_each_host(Hosts{0, 1, 0, 1}) == 0);
}

TEST_CASE("a random placement fills the same places as block placement, in an order given by its seed") {
  const PlacementSite site{.workers = 63, .workers_per_host = 4, .hosts = 16};
  const Hosts one = placed("random", site, 1);
  CHECK(one == placed("random", site, 1));
  CHECK(one != placed("random", site, 2));
  std::map<int, int> ranks_on;
  for (const int host : one) ++ranks_on[host];
  CHECK(ranks_on.size() == 16);
  for (const auto& [host, ranks] : ranks_on) CHECK(ranks == (host == 15 ? 3 : 4));
}

TEST_CASE("a snake goes back and forth through the rows of a grid") {
  CHECK(snake_order(Hosts{2, 3}) == Hosts{0, 1, 2, 5, 4, 3});
  CHECK(snake_order(Hosts{2, 2, 2}) == Hosts{0, 1, 3, 2, 6, 7, 5, 4});
  CHECK(snake_order(Hosts{1, 4}) == Hosts{0, 1, 2, 3});
  const Hosts dimensions{2, 3};
  const PlacementSite site{.workers = 11, .workers_per_host = 2, .hosts = 6, .dimensions = dimensions};
  CHECK(placed("snake", site) == Hosts{0, 0, 1, 1, 2, 2, 5, 5, 4, 4, 3});
}

TEST_CASE("along a snake every host is one link from the one before, in every grid") {
  const std::vector<ClusterOptions> grids = {
      cluster_of(24, TorusOptions{.dimensions = {4, 3, 2}, .link = test_link}),
      cluster_of(24, MeshOptions{.dimensions = {2, 3, 4}, .link = test_link}),
      cluster_of(16, HypercubeOptions{.link = test_link}), cluster_of(7, RingOptions{.link = test_link})};
  for (const ClusterOptions& grid : grids) {
    const Network network = placed_network(grid, {.name = "snake"});
    for (Rank rank = 0; rank + 1 < network.workers(); ++rank)
      CHECK(network.route(rank, rank + 1).size() == 1);
  }
}

TEST_CASE("impossible placements are refused") {
  const PlacementSite site{.workers = 4, .workers_per_host = 2, .hosts = 2};
  CHECK_THROWS_WITH_AS(
      hosts_of_ranks({.hosts = {0, 0, 1}}, site),
      "placement gives the hosts of 3 ranks, but there are 4 workers; give one host for each",
      std::invalid_argument);
  CHECK_THROWS_WITH_AS(
      hosts_of_ranks({.hosts = {0, 0, 0, 1}}, site),
      "placement puts rank 2 on host 0, which is full; a host holds at most 2 (workers_per_host)",
      std::invalid_argument);
  CHECK_THROWS_WITH_AS(placed("snake", site),
                       "placement \"snake\" needs a network whose hosts form a grid, which this one is not; "
                       "it is for ring, line, torus, mesh, hypercube and hamming_mesh",
                       std::invalid_argument);
  const ClusterOptions two_hosts = cluster_of(2, StarOptions{.link = test_link});
  CHECK_THROWS_WITH_AS(placed_network(two_hosts, {.hosts = {1, 2}}),
                       "cluster: placement[1] is 2; it must be from 0 to 1", std::invalid_argument);
  CHECK_THROWS_WITH_AS(
      placed_network(two_hosts, {.name = "spiral"}),
      "cluster: placement is \"spiral\"; it must be one of block, round_robin, random, snake, optimized",
      std::invalid_argument);
}

TEST_CASE("a network of more hosts than a placement is optimized for is refused") {
  CHECK_NOTHROW(placed_network(cluster_of(1024, StarOptions{.link = test_link}), {.name = "optimized"}));
  CHECK_THROWS_WITH_AS(
      placed_network(cluster_of(1025, RingOptions{.link = test_link}), {.name = "optimized"}),
      "placement \"optimized\" is for at most 1024 hosts, the cluster has 1025; \"snake\" or a list of hosts "
      "has no limit",
      std::invalid_argument);
  // A snake goes through grids only.
  CHECK_THROWS_WITH_AS(
      placed_network(cluster_of(1025, StarOptions{.link = test_link}), {.name = "optimized"}),
      "placement \"optimized\" is for at most 1024 hosts, the cluster has 1025; a list of hosts has no limit",
      std::invalid_argument);
}

TEST_CASE("routes of placed ranks are those of their hosts in block placement") {
  ClusterOptions options = torus_of_pairs();
  options.network.path_choice = PathChoice::destination;  // which hosts decide
  const Network block = build_network(options);
  for (const char* name : {"round_robin", "random", "snake"}) {
    const Network placed = placed_network(options, {.name = name});
    for (Rank source = 0; source < 16; ++source)
      for (Rank destination = 0; destination < 16; ++destination) {
        const int from = placed.host_of(source);
        const int to = placed.host_of(destination);
        if (from == to) continue;
        CHECK(std::ranges::equal(placed.route(source, destination), block.route(2 * from, 2 * to)));
      }
  }
}

TEST_CASE("the ports of a placed worker join it to its own host") {
  const Network network = placed_network(torus_of_pairs(), {.name = "round_robin"});
  CHECK(route_text(network, 1, 9) == "worker1 -> host1, host1 -> worker9");
  CHECK(network.host_of(9) == 1);
  const Network one_each =
      placed_network(cluster_of(4, RingOptions{.link = test_link}), {.hosts = {2, 1, 0, 3}});
  CHECK(one_each.worker_vertex(0) == 2);
}

TEST_CASE("block, snake and lists of blocks leave the ranks of a host consecutive") {
  CHECK(build_network(torus_of_pairs()).has_consecutive_ranks());
  CHECK(placed_network(torus_of_pairs(), {.name = "snake"}).has_consecutive_ranks());
  CHECK(!placed_network(torus_of_pairs(), {.name = "round_robin"}).has_consecutive_ranks());
  CHECK(!placed_network(torus_of_pairs(), {.name = "random"}).has_consecutive_ranks());
}

}  // namespace
}  // namespace starling
