#include <doctest/doctest.h>

#include "analysis/networks/network_report.hpp"
#include "analysis/networks/price_list_file.hpp"
#include "tests/rounding.hpp"
#include "tests/topologies/networks/clusters.hpp"

namespace starling {
namespace {

TEST_CASE("the report of a cluster without a scenario includes goodput and latency of its hosts") {
  const ClusterOptions cluster = cluster_of(4, StarOptions{.link = test_link});
  const PriceList prices = read_price_list(shipped_price_list());
  const Reach without = network_report(cluster, nullptr, prices).reach.value();
  const HostCosts costs{.goodput = 0.5, .latency_s = 1e-3};
  const Reach with = network_report(cluster, nullptr, prices, {}, costs).reach.value();
  CHECK(with.least_latency_s == about(without.least_latency_s + 1e-3));
  CHECK(with.least_bandwidth_Bps == about(without.least_bandwidth_Bps / 2));
}

}  // namespace
}  // namespace starling
