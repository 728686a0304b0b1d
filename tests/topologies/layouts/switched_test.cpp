#include "topologies/layouts/switched.hpp"

#include <doctest/doctest.h>

#include "tests/rounding.hpp"
#include "tests/topologies/networks/clusters.hpp"

namespace starling {
namespace {

TEST_CASE("a switch at each place of a ring puts one host link at both ends of every path") {
  const LinkOptions host_link = {.bandwidth_Bps = 5e9, .latency_s = 7e-6};
  const Network direct = network_of(6, RingOptions{.link = test_link});
  const Network switched =
      network_of(6, RingOptions{.link = test_link, .switches = true, .host_link = host_link});
  CHECK(switched.switches() == 6);
  CHECK(switched.links().size() == direct.links().size() + 12);
  CHECK(switched.diameter() == direct.diameter() + 2);
  CHECK(route_text(switched, 5, 1) ==
        "host5 -> switch5, switch5 -> switch0, switch0 -> switch1, switch1 -> host1");
  CHECK(switched.alpha_s(5, 1) == about(16e-6));
  CHECK(switched.bandwidth_Bps(5, 1) == 5e9);
}

TEST_CASE("hosts hang on links like those between the switches unless told otherwise") {
  const Network network = network_of(4, HypercubeOptions{.link = test_link, .switches = true});
  for (const Link& link : network.links()) CHECK(link.bandwidth_Bps == test_link.bandwidth_Bps);
  CHECK(network_of(1, LineOptions{.link = test_link, .switches = true}).diameter() == 0);
}

TEST_CASE("every path through a torus of switches is two links longer than between hosts in their place") {
  const Network direct = network_of(12, TorusOptions{.dimensions = {4, 3}, .link = test_link});
  const Network switched =
      network_of(12, TorusOptions{.dimensions = {4, 3}, .link = test_link, .switches = true});
  for (Rank source = 0; source < 12; ++source) {
    for (Rank destination = 0; destination < 12; ++destination) {
      if (source != destination)
        CHECK(length(switched, source, destination) == length(direct, source, destination) + 2);
    }
  }
}

}  // namespace
}  // namespace starling
