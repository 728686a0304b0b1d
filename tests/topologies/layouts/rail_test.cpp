#include "topologies/layouts/rail.hpp"

#include <doctest/doctest.h>

#include <map>
#include <stdexcept>
#include <string>

#include "tests/rounding.hpp"
#include "tests/topologies/networks/clusters.hpp"

namespace starling {
namespace {

constexpr LinkOptions inside_hosts = {.bandwidth_Bps = 300e9, .latency_s = 2e-6};

/// Hosts of four workers with as many network cards as given.
ClusterOptions rails_of(int hosts, int nics_per_host, RailOptions rail) {
  rail.link = test_link;
  return {.workers = 4 * hosts,
          .workers_per_host = 4,
          .network = {.kind = rail},
          .intra_host_link = inside_hosts,
          .nics_per_host = nics_per_host};
}

TEST_CASE("rails have a switch for each network card of a host, and a cable from each card") {
  const Network network = build_network(rails_of(6, 4, {}));
  CHECK(network.switches() == 4);
  CHECK(network.links().size() == 2 * (6 * 4 + 6 * 4));
  CHECK(network.diameter() == 2);
  CHECK(network.bisection_bandwidth_Bps() == 3 * 4 * test_link.bandwidth_Bps);
}

TEST_CASE("rail switches of some hosts each are joined by spines, as wide as their hosts") {
  const Network network = build_network(rails_of(6, 2, {.hosts_per_switch = 3, .spines = 2}));
  CHECK(network.switches() == 2 * 2 + 2);
  CHECK(network.links().size() == 2 * (6 * 2 + 4 * 2 + 6 * 4));
  CHECK(network.diameter() == 4);
  CHECK(network.bisection_bandwidth_Bps() == 3 * 2 * test_link.bandwidth_Bps);
  CHECK(build_network(rails_of(6, 2, {.hosts_per_switch = 3, .spines = 2, .oversubscription = 3}))
            .bisection_bandwidth_Bps() == 2 * test_link.bandwidth_Bps);
}

TEST_CASE("every worker sends and receives by the network card of its place in the host") {
  const Network network = build_network(rails_of(3, 4, {}));
  for (int place = 0; place < 4; ++place) {
    CHECK(route_text(network, place, 8 + place) == fmt::format("host0 -> rail{0}, rail{0} -> host2", place));
  }
}

TEST_CASE("workers of a host share fewer network cards, neighbors the same") {
  const Network network = build_network(rails_of(2, 2, {}));
  CHECK(route_text(network, 0, 4) == "host0 -> rail0, rail0 -> host1");
  CHECK(route_text(network, 0, 5) == "host0 -> rail0, rail0 -> host1");
  CHECK(route_text(network, 1, 4) == "host0 -> rail0, rail0 -> host1");
  CHECK(route_text(network, 3, 6) == "host0 -> rail1, rail1 -> host1");
}

TEST_CASE("a message for another rail goes first to the worker of its host that has a card on that rail") {
  const Network network = build_network(rails_of(2, 4, {}));
  CHECK(route_text(network, 0, 7) == "worker0 -> host0, host0 -> worker3, host0 -> rail3, rail3 -> host1");
  CHECK(network.alpha_s(0, 7) == about(inside_hosts.latency_s + 2 * test_link.latency_s));
  CHECK(network.bandwidth_Bps(0, 7) == test_link.bandwidth_Bps);
  // Of the two that share the card, the one in the sender's place.
  CHECK(route_text(build_network(rails_of(2, 2, {})), 1, 6) ==
        "worker1 -> host0, host0 -> worker3, host0 -> rail1, rail1 -> host1");
}

TEST_CASE(
    "with cross_rail spines a message for another rail goes over the spines, from the sender's rail to the "
    "receiver's") {
  const Network network = build_network(rails_of(2, 4, {.spines = 1, .cross_rail = CrossRail::spines}));
  CHECK(route_text(network, 0, 7) == "host0 -> rail0, rail0 -> spine0, spine0 -> rail3, rail3 -> host1");
  CHECK(route_text(network, 1, 5) == "host0 -> rail1, rail1 -> host1");
  CHECK(network.diameter() == 4);
}

TEST_CASE("between blocks of hosts every message takes a spine") {
  const Network network = build_network(rails_of(4, 4, {.hosts_per_switch = 2, .spines = 3}));
  const std::string route = route_text(network, 2, 14);
  CHECK(route.starts_with("host0 -> rail2_0, rail2_0 -> spine"));
  CHECK(route.ends_with(" -> rail2_1, rail2_1 -> host3"));
  CHECK(route_text(network, 2, 6) == "host0 -> rail2_0, rail2_0 -> host1");
}

TEST_CASE("an all-to-all between hosts loads every card alike, on rails as over the spines") {
  for (const CrossRail cross_rail : {CrossRail::pxn, CrossRail::spines}) {
    const Network network = build_network(rails_of(3, 4, {.spines = 2, .cross_rail = cross_rail}));
    std::map<std::string, int> loads;
    for (Rank source = 0; source < network.workers(); ++source) {
      for (Rank destination = 0; destination < network.workers(); ++destination) {
        if (network.host_of(source) == network.host_of(destination)) continue;
        ++loads[link_at(network, network.route(source, destination).back()).name];
      }
    }
    CHECK(loads.size() == 12);
    for (const auto& [link, load] : loads) CHECK(load == 2 * 4);
  }
}

TEST_CASE("network cards with links of their own are on every way between hosts, and shared") {
  ClusterOptions options = rails_of(2, 2, {});
  options.nic_link = LinkOptions{.bandwidth_Bps = 32e9, .latency_s = 0.5e-6};
  const Network network = build_network(options);
  CHECK(route_text(network, 0, 5) == "nic0_0 -> host0, host0 -> rail0, rail0 -> host1, host1 -> nic1_0");
  CHECK(network.route(0, 5).front() == network.route(1, 4).front());
  CHECK(
      route_text(network, 0, 6) ==
      "worker0 -> host0, host0 -> worker2, nic0_1 -> host0, host0 -> rail1, rail1 -> host1, host1 -> nic1_1");
  CHECK(route_text(network, 0, 1) == "worker0 -> host0, host0 -> worker1");
  CHECK(network.alpha_s(0, 5) == about(2 * test_link.latency_s + 2 * 0.5e-6));
  CHECK(network.vertices().back().name == "nic1_1");
  CHECK(network.vertices().back().kind == VertexKind::nic);
}

TEST_CASE("a network card of its own may stand in any network, one to a host") {
  ClusterOptions options = cluster_of(3, StarOptions{.link = test_link});
  options.nic_link = LinkOptions{.bandwidth_Bps = 1e9, .latency_s = 0};
  const Network network = build_network(options);
  CHECK(route_text(network, 0, 2) == "nic0_0 -> host0, host0 -> switch0, switch0 -> host2, host2 -> nic2_0");
  CHECK(network.bandwidth_Bps(0, 2) == 1e9);
  CHECK(network.bisection_bandwidth_Bps() == test_link.bandwidth_Bps);
}

void check_rejected(const ClusterOptions& options, const char* text) {
  CHECK_THROWS_WITH_AS(build_network(options), text, std::invalid_argument);
}

TEST_CASE("rails that cannot be are refused") {
  check_rejected(rails_of(4, 4, {.hosts_per_switch = 2}),
                 "cluster: network: rail: 4 hosts on rail switches for 2 hosts each are not connected, "
                 "expected \"spines\"");
  check_rejected(rails_of(4, 4, {.cross_rail = CrossRail::spines}),
                 "cluster: network: rail: cross_rail: there are no spines, got spines, expected \"pxn\", or "
                 "\"spines\" of at least 1");
  check_rejected(rails_of(4, 4, {.spines = -1}),
                 "cluster: network: rail: spines is -1; it must be from 0 to 1048576");
  check_rejected(rails_of(4, 4, {.hosts_per_switch = 0}),
                 "cluster: network: rail: hosts_per_switch is 0; it must be from 1 to 1048576");
  check_rejected(rails_of(4, 4, {.spines = 1, .oversubscription = 0}),
                 "cluster: network: rail: oversubscription is 0; it must be from 1e-06 to 1000000");
  check_rejected(rails_of(4, 4, {.spines = 1, .oversubscription = 1, .spine_link = test_link}),
                 "cluster: network: rail: oversubscription and spine_link exclude each other");
  check_rejected(rails_of(4, 4, {.spines = 1, .spine_link = LinkOptions{}}),
                 "cluster: network: rail: spine_link: bandwidth is 0; it must be from 1 to 1e+18");
  check_rejected(rails_of(4, 4, {.hosts_per_switch = 2, .spines = 1 << 20}),
                 "rail: this network has 8388624 cables; the most that can be built is 8388608");
}

TEST_CASE("network cards that do not fit the workers or the network are refused") {
  check_rejected(
      rails_of(4, 3, {}),
      "cluster: nics_per_host: does not divide the workers of a host, got 3, expected a divisor of "
      "\"workers_per_host\" 4");
  ClusterOptions options = rails_of(4, 4, {});
  options.workers = 15;
  check_rejected(options,
                 "cluster: nics_per_host: with several network cards per host, every host must have all its "
                 "workers, got 4, expected \"workers\" a multiple of 4");
  options.network.kind = StarOptions{.link = test_link};
  check_rejected(
      options,
      "cluster: nics_per_host: the network gives each host one network card, got 4, expected 1, or a network "
      "of kind \"rail\"");
  options.nics_per_host = 0;
  check_rejected(options, "cluster: nics_per_host is 0; it must be from 1 to 1024");
  options.nics_per_host = 1;
  options.nic_link = LinkOptions{};
  check_rejected(options, "cluster: nic_link: bandwidth is 0; it must be from 1 to 1e+18");
}

}  // namespace
}  // namespace starling
