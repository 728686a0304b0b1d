#include "topologies/layouts/slim_fly.hpp"

#include <doctest/doctest.h>

#include <map>
#include <stdexcept>

#include "tests/topologies/networks/clusters.hpp"

namespace starling {
namespace {

/// The paper's q, and the number of cables of a switch to others: (3q − δ)/2.
struct KnownGraph {
  int q;
  int network_ports;
};

constexpr KnownGraph known_graphs[] = {{3, 5},  {4, 6},   {5, 7},   {7, 11}, {8, 12},
                                       {9, 13}, {11, 17}, {13, 19}, {16, 24}};

Network network_of_switches(int q) {
  return network_of(2 * q * q, SlimFlyOptions{.q = q, .hosts_per_switch = 1, .link = test_link});
}

TEST_CASE("all 2q² switches of a Slim Fly have (3q − δ)/2 cables to others, no two to the same") {
  for (const auto& [q, network_ports] : known_graphs) {
    CAPTURE(q);
    const Network network = network_of_switches(q);
    CHECK(network.switches() == 2 * q * q);
    CHECK(network.links().size() == static_cast<std::size_t>(2 * (2 * q * q + q * q * network_ports)));
    std::map<std::pair<int, int>, int> between;
    std::map<int, int> ports;
    for (const Link& link : network.links()) {
      ++between[{link.from_vertex, link.to_vertex}];
      ++ports[link.from_vertex];
    }
    for (const auto& [ends, count] : between) REQUIRE(count == 1);
    for (const auto& [vertex, count] : ports)
      REQUIRE(count == (vertex < network.hosts() ? 1 : 1 + network_ports));
  }
}

TEST_CASE("any two switches of a Slim Fly have at most one other between them") {
  for (const auto& [q, network_ports] : known_graphs) {
    CAPTURE(q);
    const Network network = network_of_switches(q);
    CHECK(network.diameter() == 4);
    for (Rank source = 0; source < network.workers(); ++source) {
      std::map<int, int> at_distance;
      for (Rank destination = 0; destination < network.workers(); ++destination)
        if (source != destination) ++at_distance[length(network, source, destination)];
      REQUIRE(at_distance ==
              std::map<int, int>{{3, network_ports}, {4, network.workers() - 1 - network_ports}});
    }
  }
}

TEST_CASE("a Slim Fly without sizes is the least balanced one with room for the hosts") {
  const auto network = [](int hosts) { return network_of(hosts, SlimFlyOptions{.link = test_link}); };
  // That of the paper: q = 19, k' = 29, p = 15.
  CHECK(network(10'830).switches() == 722);
  CHECK(route_text(network(10'830), 14, 15).starts_with("host14 -> switch0, "));
  CHECK(route_text(network(10'830), 0, 14) == "host0 -> switch0, switch0 -> host14");
  CHECK(network(200).switches() == 50);
  CHECK(network(201).switches() == 98);
  CHECK(network_of(201, SlimFlyOptions{.hosts_per_switch = 1, .link = test_link}).switches() == 2 * 11 * 11);
}

TEST_CASE("a Slim Fly that is not full is as far across as its hosts are") {
  const auto diameter = [](int hosts) {
    return network_of(hosts, SlimFlyOptions{.q = 5, .hosts_per_switch = 2, .link = test_link}).diameter();
  };
  CHECK(diameter(1) == 0);
  CHECK(diameter(2) == 2);
  // 1 is in X, so switches 0 and 1 are joined, and of three in a row the first and the last are not.
  CHECK(diameter(4) == 3);
  CHECK(diameter(5) == 4);
}

TEST_CASE("the bisection of a Slim Fly is the q cables from each switch of a half to the other") {
  const LinkOptions wide = {.bandwidth_Bps = 1000e9, .latency_s = 0};
  for (const int q : {4, 5, 7}) {
    CAPTURE(q);
    const SlimFlyOptions options = {.q = q, .hosts_per_switch = 1, .link = wide, .switch_link = test_link};
    CHECK(network_of(2 * q * q, options).bisection_bandwidth_Bps() == q * q * q * test_link.bandwidth_Bps);
  }
}

TEST_CASE("a Slim Fly of 65,536 hosts has its routes without a search") {
  const Network network = network_of(65'536, SlimFlyOptions{.link = test_link});
  CHECK(network.diameter() == 4);
  CHECK(length(network, 0, 65'535) <= 4);
}

void check_refused(int hosts, const SlimFlyOptions& options, const char* text) {
  CHECK_THROWS_WITH_AS(network_of(hosts, options), text, std::invalid_argument);
}

TEST_CASE("a Slim Fly that there is not, or that is too small, is refused") {
  check_refused(9, {.q = 6, .link = test_link},
                "cluster: network: slim_fly: q: is not a prime power, got 6, expected a prime power, such as "
                "5, 7, 8, 9, 11 or 13");
  check_refused(9, {.q = 2, .link = test_link},
                "cluster: network: slim_fly: q is 2; it must be from 3 to 256");
  check_refused(9, {.q = 257, .link = test_link},
                "cluster: network: slim_fly: q is 257; it must be from 3 to 256");
  check_refused(1 << 20, {.hosts_per_switch = 1, .link = test_link},
                "slim_fly: q must be a prime power from 3 to 256, got 727");
  check_refused(201, {.q = 5, .link = test_link},
                "cluster: network: slim_fly: q: 201 hosts do not fit, got 5, expected at least 7");
  check_refused(9, {.hosts_per_switch = 0, .link = test_link},
                "cluster: network: slim_fly: hosts_per_switch is 0; it must be from 1 to 1048576");
  check_refused(9, {.q = 256, .link = test_link},
                "slim_fly: this network has 25165833 cables; the most that can be built is 8388608");
  check_refused(9, {}, "cluster: network: slim_fly: link: bandwidth is 0; it must be from 1 to 1e+18");
  check_refused(9, {.link = test_link, .switch_link = LinkOptions{1, -1}},
                "cluster: network: slim_fly: switch_link: latency is -1; it must be from 0 to 1000000000");
}

}  // namespace
}  // namespace starling
