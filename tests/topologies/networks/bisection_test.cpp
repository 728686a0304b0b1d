#include "topologies/networks/bisection.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "tests/rounding.hpp"
#include "tests/topologies/networks/clusters.hpp"

namespace starling {
namespace {

constexpr double link_Bps = test_link.bandwidth_Bps;

double bisection_Bps(int hosts, NetworkKind kind) {
  return network_of(hosts, std::move(kind)).bisection_bandwidth_Bps();
}

TEST_CASE("the bisection bandwidth of regular networks is that of textbooks") {
  CHECK(bisection_Bps(1, StarOptions{.link = test_link}) == 0);
  CHECK(bisection_Bps(8, StarOptions{.link = test_link}) == 4 * link_Bps);
  CHECK(bisection_Bps(9, StarOptions{.link = test_link}) == 4 * link_Bps);
  CHECK(bisection_Bps(8, RingOptions{.link = test_link}) == 2 * link_Bps);
  CHECK(bisection_Bps(8, LineOptions{.link = test_link}) == link_Bps);
  CHECK(bisection_Bps(16, HypercubeOptions{.link = test_link}) == 8 * link_Bps);
  CHECK(bisection_Bps(6, CompleteOptions{.link = test_link}) == 9 * link_Bps);
  CHECK(bisection_Bps(16, FatTreeOptions{.k = 4, .link = test_link}) == 8 * link_Bps);
}

TEST_CASE("a torus or mesh is halved across whichever dimension leaves the least") {
  for (const std::vector<int>& dimensions : {std::vector{4, 8}, std::vector{8, 4}}) {
    CHECK(bisection_Bps(32, TorusOptions{.dimensions = dimensions, .link = test_link}) == 2 * 4 * link_Bps);
    CHECK(bisection_Bps(32, MeshOptions{.dimensions = dimensions, .link = test_link}) == 4 * link_Bps);
  }
  CHECK(bisection_Bps(64, TorusOptions{.dimensions = {4, 4, 4}, .link = test_link}) == 2 * 16 * link_Bps);
}

TEST_CASE("oversubscription divides the bisection bandwidth") {
  for (const double oversubscription : {1.0, 2.0, 4.0}) {
    CHECK(bisection_Bps(64, LeafSpineOptions{.hosts_per_leaf = 16,
                                             .spines = 4,
                                             .link = test_link,
                                             .oversubscription = oversubscription}) ==
          32 * link_Bps / oversubscription);
  }
}

TEST_CASE("the ports inside hosts do not add to the bisection") {
  ClusterOptions options = cluster_of(16, StarOptions{.link = test_link});
  options.workers_per_host = 4;
  options.intra_host_link = test_link;
  CHECK(build_network(options).bisection_bandwidth_Bps() == 2 * link_Bps);
}

TEST_CASE("bandwidths too large to count in single bytes per second are counted in larger units") {
  const std::vector<Link> links = {{"forth", 0, 1, 3e300, 0, true}, {"back", 1, 0, 1e300, 0, true}};
  // Units of 2^-60 of the sum.
  CHECK(flow_between_halves_Bps(std::vector{0, 1}, links, 2) == about(3e300, 1e-15));
}

}  // namespace
}  // namespace starling
