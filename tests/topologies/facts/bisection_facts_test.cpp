#include "topologies/facts/bisection_facts.hpp"

#include <doctest/doctest.h>

#include "tests/rounding.hpp"
#include "tests/topologies/networks/clusters.hpp"

namespace starling {
namespace {

using Known = BisectionFacts::Known;

BisectionFacts bisection_of(const ClusterOptions& cluster) {
  return bisection_facts(cluster, build_network(cluster));
}

/// The same cables as a graph of unknown kind, so that no closed form applies.
ClusterOptions as_graph(const ClusterOptions& cluster) {
  const Network network = build_network(cluster);
  GraphOptions graph{.switches = network.switches()};
  for (const Link& link : links_of_cables(network))
    if (link.from_vertex < link.to_vertex)
      graph.cables.push_back({link.from_vertex, link.to_vertex, {link.bandwidth_Bps, link.latency_s}});
  return cluster_of(network.hosts(), graph);
}

struct ExpectedBisection {
  ClusterOptions cluster;
  double cables;  // that a worst cut goes through
};

std::vector<ExpectedBisection> closed_forms() {
  const LinkOptions link = test_link;
  return {
      {cluster_of(8, StarOptions{.link = link}), 4},
      {cluster_of(14, RingOptions{.link = link}), 2},
      {cluster_of(14, LineOptions{.link = link}), 1},
      {cluster_of(32, TorusOptions{.dimensions = {4, 8}, .link = link}), 8},
      {cluster_of(32, TorusOptions{.dimensions = {8, 4}, .link = link}), 8},
      {cluster_of(32, MeshOptions{.dimensions = {4, 8}, .link = link}), 4},
      {cluster_of(32, HypercubeOptions{.link = link}), 16},
      {cluster_of(14, CompleteOptions{.link = link}), 49},
      {cluster_of(16, FatTreeOptions{.k = 4, .link = link}), 8},
      {cluster_of(128, FatTreeOptions{.k = 8, .link = link}), 64},
      {cluster_of(16,
                  LeafSpineOptions{.hosts_per_leaf = 4, .spines = 2, .link = link, .oversubscription = 2}),
       4},
  };
}

TEST_CASE("bisection is exactly that of the closed forms") {
  for (const ExpectedBisection& expected : closed_forms()) {
    const BisectionFacts facts = bisection_of(expected.cluster);
    CHECK(facts.known == Known::exactly);
    CHECK(facts.most_Bps == about(expected.cables * test_link.bandwidth_Bps));
    CHECK(facts.least_Bps == facts.most_Bps);
  }
}

TEST_CASE("the bounds of the bisection of a graph of unknown kind enclose the closed form") {
  for (const ExpectedBisection& expected : closed_forms()) {
    const BisectionFacts facts = bisection_of(as_graph(expected.cluster));
    const double bandwidth_Bps = expected.cables * test_link.bandwidth_Bps;
    CHECK(facts.known != Known::at_most);
    CHECK(facts.least_Bps > 0);
    CHECK(facts.least_Bps <= bandwidth_Bps * (1 + 1e-6));
    CHECK(facts.most_Bps >= bandwidth_Bps * (1 - 1e-6));
  }
}

TEST_CASE("the spectral bound is tight for hypercubes and complete graphs") {
  const BisectionFacts cube = bisection_of(as_graph(cluster_of(32, HypercubeOptions{.link = test_link})));
  CHECK(cube.least_Bps == about(16 * test_link.bandwidth_Bps, 1e-6));
  const BisectionFacts complete = bisection_of(as_graph(cluster_of(14, CompleteOptions{.link = test_link})));
  CHECK(complete.least_Bps == about(49 * test_link.bandwidth_Bps, 1e-6));
}

TEST_CASE("the bisection of few hosts is the worst of all their partings into halves") {
  // Hosts with successive numbers are far apart: halves by number cut four cables, the worst halves only one.
  GraphOptions two_groups;
  two_groups.cables = {{0, 2, test_link}, {2, 4, test_link}, {4, 0, test_link}, {1, 3, test_link},
                       {3, 5, test_link}, {5, 1, test_link}, {0, 1, test_link}};
  const BisectionFacts facts = bisection_of(cluster_of(6, two_groups));
  CHECK(facts.known == Known::exactly);
  CHECK(facts.most_Bps == about(test_link.bandwidth_Bps));
}

TEST_CASE("the bisection of every kind is that of the worst parting wherever all can be tried out") {
  const LinkOptions link = test_link;
  const LinkOptions slow{.bandwidth_Bps = 3e9, .latency_s = 1e-6};
  std::vector<ClusterOptions> all = {
      cluster_of(7, StarOptions{.link = link}),
      cluster_of(9, RingOptions{.link = link}),
      cluster_of(8, RingOptions{.link = link, .switches = true, .host_link = slow}),
      cluster_of(9, LineOptions{.link = link}),
      cluster_of(8, HypercubeOptions{.link = link}),
      cluster_of(7, CompleteOptions{.link = link}),
      cluster_of(8, LeafSpineOptions{.hosts_per_leaf = 2, .spines = 2, .link = link, .oversubscription = 3}),
      cluster_of(12, LeafSpineOptions{.hosts_per_leaf = 3, .spines = 1, .link = link}),
      cluster_of(8,
                 FatTreeOptions{.levels = {{2, 1, 1, link}, {2, 1, 1, slow}, {2, 1, 1, slow}}, .link = link}),
      cluster_of(12, FatTreeOptions{.levels = {{3, 2, 1, link}, {4, 1, 1, slow}}, .link = link})};
  for (const std::vector<int>& dimensions :
       {std::vector{2, 4}, {4, 2}, {2, 6}, {3, 4}, {4, 3}, {2, 2, 2}, {12}, {1, 8}}) {
    int hosts = 1;
    for (const int size : dimensions) hosts *= size;
    all.push_back(cluster_of(hosts, TorusOptions{.dimensions = dimensions, .link = link}));
    all.push_back(cluster_of(hosts, MeshOptions{.dimensions = dimensions, .link = link}));
    all.push_back(cluster_of(
        hosts, TorusOptions{.dimensions = dimensions, .link = link, .switches = true, .host_link = slow}));
  }
  for (const ClusterOptions& cluster : all) {
    const BisectionFacts claimed = bisection_of(cluster);
    const BisectionFacts tried = bisection_of(as_graph(cluster));
    CAPTURE(cluster.network.kind.index());
    CAPTURE(cluster.workers);
    CHECK(claimed.known == Known::exactly);
    CHECK(tried.known == Known::exactly);
    CHECK(claimed.most_Bps == about(tried.most_Bps));
  }
}

TEST_CASE("the bisection of a dragonfly is at most its global links between halves of its groups") {
  // Four groups of four routers, of two hosts and two global links each: two links between any two groups.
  const DragonflyOptions dragonfly{.routers_per_group = 4,
                                   .hosts_per_router = 2,
                                   .global_links_per_router = 2,
                                   .groups = 4,
                                   .link = test_link};
  const BisectionFacts facts = bisection_of(cluster_of(32, dragonfly));
  CHECK(facts.known == Known::between);
  CHECK(facts.most_Bps <= 2 * 2 * 2 * test_link.bandwidth_Bps * (1 + 1e-9));
  CHECK(facts.least_Bps > 0.4 * facts.most_Bps);
}

TEST_CASE("a bisection is no longer known exactly where an override changes a link") {
  ClusterOptions torus = cluster_of(32, TorusOptions{.dimensions = {4, 8}, .link = test_link});
  torus.network.overrides = {{.host = 0, .bandwidth_Bps = 1e9}};
  CHECK(bisection_of(torus).known == Known::between);
}

}  // namespace
}  // namespace starling
