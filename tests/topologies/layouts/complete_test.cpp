#include "topologies/layouts/complete.hpp"

#include <doctest/doctest.h>

#include "tests/topologies/networks/clusters.hpp"

namespace starling {
namespace {

TEST_CASE("a complete network has a link from every host to every other, and every route is that link") {
  for (const int hosts : {1, 2, 5, 9}) {
    const Network network = network_of(hosts, CompleteOptions{.link = test_link});
    CHECK(network.links().size() == static_cast<std::size_t>(hosts * (hosts - 1)));
    CHECK(network.switches() == 0);
    CHECK(network.diameter() == (hosts > 1 ? 1 : 0));
    for (Rank source = 0; source < hosts; ++source) {
      for (Rank destination = 0; destination < hosts; ++destination) {
        if (source == destination) continue;
        REQUIRE(route_text(network, source, destination) ==
                fmt::format("host{} -> host{}", source, destination));
      }
    }
  }
}

}  // namespace
}  // namespace starling
