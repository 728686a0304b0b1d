#include "testbed/network/shaping_limits.hpp"

#include <doctest/doctest.h>

#include "topologies/networks/network.hpp"

using namespace starling;

namespace {

constexpr ShapingLimits limits{.greatest_bandwidth_Bps = 125e6,
                               .least_bandwidth_Bps = 12'500,
                               .least_latency_s = 20e-6,
                               .most_hosts = 16};

void check(int workers, NetworkKind kind) {
  const Network network = build_network({.workers = workers, .network = {.kind = std::move(kind)}});
  check_can_be_shaped(HostRoutes(network), limits);
}

}  // namespace

TEST_CASE("Networks within the limits can be shaped") {
  CHECK_NOTHROW(check(16, StarOptions{.link = {.bandwidth_Bps = 125e6, .latency_s = 10e-6}}));
  CHECK_NOTHROW(check(2, RingOptions{.link = {.bandwidth_Bps = 12'500, .latency_s = 1}}));
}

TEST_CASE("A link that is too fast or too slow is named, with the limits") {
  CHECK_THROWS_WITH_AS(
      check(2, StarOptions{.link = {.bandwidth_Bps = 1.25e9, .latency_s = 1e-3}}),
      "the link host0 -> switch0 cannot be emulated: 10000 Mbps; this machine's switch sustains "
      "0.1 Mbps to 1000 Mbps",
      CannotShapeError);
  CHECK_THROWS_AS(check(2, StarOptions{.link = {.bandwidth_Bps = 1000, .latency_s = 1e-3}}),
                  CannotShapeError);
}

TEST_CASE("A path with too little latency is refused with what the switch needs") {
  CHECK_THROWS_WITH_AS(check(3, StarOptions{.link = {.bandwidth_Bps = 1e6, .latency_s = 5e-6}}),
                       "the route from host 0 to host 1 cannot be emulated: its total latency is 10 us; the "
                       "switch needs at least 20 us",
                       CannotShapeError);
}

TEST_CASE("One host, or more than 16, is refused") {
  const LinkOptions link{.bandwidth_Bps = 1e6, .latency_s = 1e-3};
  CHECK_THROWS_WITH_AS(check(1, StarOptions{.link = link}), "a testbed has 2 to 16 hosts, this network has 1",
                       CannotShapeError);
  CHECK_THROWS_AS(check(17, StarOptions{.link = link}), CannotShapeError);
}

TEST_CASE(
    "The total rate of all hosts is the sum of their links and is warned of beyond what two cores can "
    "switch") {
  const Network network = build_network(
      {.workers = 4, .network = {.kind = StarOptions{.link = {.bandwidth_Bps = 25e6, .latency_s = 1e-3}}}});
  CHECK(total_bandwidth_Bps(HostRoutes(network)) == 100e6);
  CHECK(total_rate_warning(HostRoutes(network)).empty());
  const Network faster = build_network(
      {.workers = 4, .network = {.kind = StarOptions{.link = {.bandwidth_Bps = 1e8, .latency_s = 1e-3}}}});
  CHECK(total_rate_warning(HostRoutes(faster)) ==
        "all hosts together can send 3.2 Gbps; on two cores the switch sustains 3 Gbps");
}
