#include "analysis/running/network_facts.hpp"

#include <doctest/doctest.h>

#include "tests/rounding.hpp"

namespace starling {
namespace {

constexpr LinkOptions cable{.bandwidth_Bps = 1e9, .latency_s = 1e-6};

/// Two hosts of eight workers.
ClusterOptions two_hosts(NetworkKind kind, int nics_per_host) {
  return {.workers = 16,
          .workers_per_host = 8,
          .network = {.kind = std::move(kind)},
          .intra_host_link = LinkOptions{.bandwidth_Bps = 1e11, .latency_s = 1e-7},
          .nics_per_host = nics_per_host};
}

double interfaces(const ClusterOptions& cluster) {
  return facts_of(build_network(cluster), MessageCosts{}).interfaces_per_host;
}

TEST_CASE("as many workers of a host send at once as it has network cards") {
  CHECK(interfaces(two_hosts(StarOptions{.link = cable}, 1)) == about(1));
  CHECK(interfaces(two_hosts(RailOptions{.link = cable}, 2)) == about(2));
  CHECK(interfaces(two_hosts(RailOptions{.link = cable}, 8)) == about(8));
}

TEST_CASE("a last host of fewer workers tells as well what those of a host share") {
  ClusterOptions cluster = two_hosts(StarOptions{.link = cable}, 1);
  cluster.workers = 11;
  CHECK(interfaces(cluster) == about(1));
}

TEST_CASE("cards that are slower than their cables are as many interfaces") {
  // Each of four cards has a bus that takes half of what its cable does, so two workers fill it as one does.
  ClusterOptions cluster = two_hosts(RailOptions{.link = cable}, 4);
  cluster.nic_link = LinkOptions{.bandwidth_Bps = 5e8, .latency_s = 1e-7};
  CHECK(interfaces(cluster) == about(4));
}

}  // namespace
}  // namespace starling
