#include "testbed/hosts/device_setup.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "testbed/network/packet_network.hpp"
#include "topologies/networks/network.hpp"

using namespace starling;

namespace {

constexpr LinkOptions link_200_Mbps{.bandwidth_Bps = 25e6, .latency_s = 100e-6};

Network network_of(int workers, NetworkKind kind, int workers_per_host = 1) {
  return build_network({.workers = workers,
                        .workers_per_host = workers_per_host,
                        .network = {.kind = std::move(kind)},
                        .intra_host_link = link_200_Mbps});
}

}  // namespace

TEST_CASE("A host on a star has one network card and the addresses of all others") {
  const Network network = network_of(3, StarOptions{.link = link_200_Mbps});
  CHECK(ip_batch(HostRoutes(network), 1, {.packets_per_frame = 4}) ==
        "link set lo up\n"
        "link set mgmt up\n"
        "addr add 10.78.0.2/16 dev mgmt\n"
        "link set eth0 address 02:53:54:42:00:01 mtu 1500 gso_max_size 6512 up\n"
        "addr add 10.77.0.2/16 dev eth0 noprefixroute\n"
        "neigh add 10.77.0.1 lladdr 02:53:54:42:00:00 dev eth0 nud permanent\n"
        "route add 10.77.0.1/32 dev eth0 src 10.77.0.2\n"
        "neigh add 10.77.0.3 lladdr 02:53:54:42:00:02 dev eth0 nud permanent\n"
        "route add 10.77.0.3/32 dev eth0 src 10.77.0.2\n");
}

TEST_CASE("A card's shaper has its link's rate, and passes a frame or a millisecond at once") {
  const Network network = network_of(2, StarOptions{.link = link_200_Mbps});
  CHECK(tc_batch(HostRoutes(network), 0, {.packets_per_frame = 4}) ==
        "qdisc replace dev eth0 root tbf rate 200000000bit burst 25000 limit 16777216\n");
  const Network slow = network_of(2, StarOptions{.link = {.bandwidth_Bps = 1e6, .latency_s = 1e-3}});
  CHECK(tc_batch(HostRoutes(slow), 0, {.packets_per_frame = 1}) ==
        "qdisc replace dev eth0 root tbf rate 8000000bit burst 2515 limit 16777216\n");
}

TEST_CASE("A host with several cables has a card for each, and every other host is behind one of them") {
  const Network network = network_of(8, RingOptions{.link = link_200_Mbps});
  const HostRoutes routes(network);
  for (int host = 0; host < 8; ++host) {
    const std::vector<NetworkCard> cards = network_cards(routes, host);
    REQUIRE(cards.size() == 2);
    CHECK(cards[0].device == "eth0");
    CHECK(cards[1].device == "eth1");
    std::vector<int> reached;
    for (const NetworkCard& card : cards) {
      CHECK(routes.link(card.link).from_vertex == host);
      for (const int other : card.destinations) {
        CHECK(routes.route(host, other).front() == card.link);
        reached.push_back(other);
      }
    }
    std::sort(reached.begin(), reached.end());
    CHECK(reached.size() == 7);
    CHECK(std::adjacent_find(reached.begin(), reached.end()) == reached.end());
  }
  CHECK(ip_batch(routes, 0, {}).find("dev eth1 src 10.77.0.1") != std::string::npos);
}

TEST_CASE("Workers of a host share its card, and links inside hosts are no cables") {
  const Network network = network_of(5, StarOptions{.link = link_200_Mbps}, 2);
  const HostRoutes routes(network);
  CHECK(routes.hosts() == 3);
  CHECK(routes.used_links().size() == 6);
  CHECK(network_cards(routes, 2).size() == 1);
  CHECK(network_cards(routes, 2).front().destinations == std::vector<int>{0, 1});
}

TEST_CASE(
    "Frames hold 8 to 20 packets, so many that at most 20,000 a second leave all hosts if fewer suffice") {
  const auto packets = [](int hosts, double bandwidth_Bps) {
    const Network network = network_of(hosts, StarOptions{.link = {.bandwidth_Bps = bandwidth_Bps}});
    return packets_per_frame(HostRoutes(network));
  };
  CHECK(packets(2, 1e6) == 8);
  CHECK(packets(8, 25e6) == 8);    // 10,000 bytes in 400 us are 6 packets
  CHECK(packets(16, 25e6) == 13);  // 20,000 bytes in 800 us
  CHECK(packets(8, 125e6) == 20);  // 50,000 bytes would be 33
}

TEST_CASE("A queue that nothing overflows holds the windows of all connections") {
  CHECK(lossless_queue_bytes(8, 1 << 20) == 56 << 20);
  CHECK(lossless_queue_bytes(2, 4096) == 64 * packet_bytes);  // but some frames at least
}

TEST_CASE("The head's bridge has a port for every host's namespace") {
  CHECK(management_ip_batch({"/run/a", "/run/b"}) ==
        "link set lo up\n"
        "link add bridge type bridge\n"
        "link set bridge up\n"
        "addr add 10.78.255.254/16 dev bridge\n"
        "link add port0 type veth peer name mgmt netns /run/a\n"
        "link set port0 master bridge up\n"
        "link add port1 type veth peer name mgmt netns /run/b\n"
        "link set port1 master bridge up\n");
}

TEST_CASE("Kernels use the same congestion control everywhere, within the window") {
  const auto settings = kernel_settings({.window_bytes = 50'000});
  const auto value = [&](const std::string& name) {
    for (const auto& [known, text] : settings)
      if (known == name) return text;
    return std::string("absent");
  };
  CHECK(value("net/ipv4/tcp_congestion_control") == "reno");
  CHECK(value("net/ipv4/tcp_wmem") == "4096 50000 50000");
  CHECK(value("net/ipv4/tcp_rmem") == "4096 100000 100000");
  CHECK(value("net/ipv6/conf/all/disable_ipv6") == "1");
}
