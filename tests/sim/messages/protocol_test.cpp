#include "sim/messages/protocol.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "sim/messages/transport.hpp"
#include "sim/networks/event/event_network.hpp"
#include "sim/simulated/simulated_world.hpp"
#include "tests/rounding.hpp"
#include "tests/sim/networks/hand_made_routes.hpp"

namespace starling {
namespace {

constexpr double link_Bps = 1e10;
constexpr double link_latency_s = 1e-6;

const std::vector<Protocol> quick_and_lean = {
    {.name = "quick", .efficiency = 0.25, .latency_s = 1e-6, .intra_host_latency_s = 0.5e-6},
    {.name = "lean", .efficiency = 1, .latency_s = 10e-6, .intra_host_latency_s = 2e-6}};

TEST_CASE("a message is carried by the protocol that delivers it first") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, link_Bps, link_latency_s);
  const ProtocolChoice choice(quick_and_lean, routes, false);
  // 1 µs + 4m/b = 10 µs + m/b at m = 30,000.
  CHECK(choice.wire(29'999, false).bytes == 4 * 29'999);
  CHECK(choice.wire(29'999, false).latency_s == 1e-6);
  CHECK(choice.wire(30'001, false).bytes == 30'001);
  CHECK(choice.wire(30'001, false).latency_s == 10e-6);
  CHECK(choice.wire(1, false).latency_s == 1e-6);
  CHECK(choice.greatest_latency_s(false) == 10e-6);
  CHECK(choice.greatest_latency_s(true) == 2e-6);
}

TEST_CASE("the greatest latency is the maximum over all protocols, whatever their order") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, link_Bps, link_latency_s);
  const ProtocolChoice choice({quick_and_lean[1], quick_and_lean[0]}, routes, false);
  CHECK(choice.greatest_latency_s(false) == 10e-6);
  CHECK(choice.greatest_latency_s(true) == 2e-6);
}

/// Four workers on two hosts, two on each, with a ring of routes; by default links inside a host are ten
/// times as fast as those between hosts.
class TwoHosts final : public HandMadeRoutes {
 public:
  explicit TwoHosts(double inside_Bps = 1e10, double between_Bps = 1e9) : HandMadeRoutes(4) {
    for (const auto& [from, bandwidth_Bps] :
         {std::pair{0, inside_Bps}, {1, between_Bps}, {2, inside_Bps}, {3, between_Bps}})
      add_route(from, (from + 1) % 4, {add_link(from, (from + 1) % 4, bandwidth_Bps, 0)});
  }
  int hosts() const override { return 2; }
  int host_of(Rank rank) const override { return rank / 2; }
};

TEST_CASE(
    "the slowest route between hosts and the slowest one inside a host decide at which size protocols "
    "change") {
  std::vector<Protocol> protocols = quick_and_lean;
  for (Protocol& protocol : protocols) protocol.intra_host_efficiency = protocol.efficiency;
  const ProtocolChoice choice(protocols, TwoHosts(), false);
  // 1 µs + 4m/b = 10 µs + m/b at m = 3,000, and 0.5 µs + 4m/b = 2 µs + m/b at m = 5,000.
  CHECK(choice.wire(2'999, false).latency_s == 1e-6);
  CHECK(choice.wire(3'001, false).latency_s == 10e-6);
  CHECK(choice.wire(4'999, true).latency_s == 0.5e-6);
  CHECK(choice.wire(5'001, true).latency_s == 2e-6);
}

TEST_CASE("the route from the last rank back to the first counts among the routes that decide on protocols") {
  HandMadeRoutes routes(2);
  routes.add_route(0, 1, {routes.add_link(0, 1, 1e10, 0)});
  routes.add_route(1, 0, {routes.add_link(1, 0, 1e9, 0)});
  const ProtocolChoice choice(quick_and_lean, routes, false);
  // 1 µs + 4m/b = 10 µs + m/b at m = 3,000.
  CHECK(choice.wire(2'999, false).latency_s == 1e-6);
  CHECK(choice.wire(3'001, false).latency_s == 10e-6);
}

TEST_CASE("inside a host a protocol has an efficiency of its own") {
  std::vector<Protocol> protocols = quick_and_lean;
  protocols[0].intra_host_efficiency = 0.2;
  protocols[1].intra_host_efficiency = 0.8;
  const HandMadeRoutes routes = HandMadeRoutes::star(2, link_Bps, link_latency_s);
  for (const Protocol& protocol : protocols) {
    const ProtocolChoice choice({protocol}, routes, false);
    CHECK(choice.wire(1e6, false).bytes == about(1e6 / protocol.efficiency, 1e-12));
    CHECK(choice.wire(1e6, true).bytes == about(1e6 / protocol.intra_host_efficiency, 1e-12));
  }
}

TEST_CASE("without protocols a message has neither more bytes nor more latency") {
  const ProtocolChoice choice({}, HandMadeRoutes::star(2, link_Bps, link_latency_s), true);
  CHECK(choice.is_empty());
  CHECK(choice.wire(123, false).bytes == 123);
  CHECK(choice.wire(123, false).latency_s == 0);
  CHECK(choice.greatest_latency_s(false) == 0);
  CHECK(choice.wire_in_ring(123, true).paced_s == 0);
}

TEST_CASE("in a paced ring every hop takes as long per byte as the slowest hop") {
  const std::vector<Protocol> lean = {quick_and_lean[1]};
  const ProtocolChoice paced(lean, TwoHosts(), true);
  CHECK(paced.wire_in_ring(1e6, true).paced_s == about(1e6 / 1e9 - 1e6 / 1e10, 1e-12));
  CHECK(paced.wire_in_ring(1e6, false).paced_s == 0);
  CHECK(paced.wire_in_ring(1e6, true).pacing_link == 1);
  CHECK(paced.wire_in_ring(1e6, true).wire.bytes == 1e6);
  CHECK(paced.wire_in_ring(1e6, true).wire.latency_s == 2e-6);
  const ProtocolChoice slow_inside(lean, TwoHosts(1e9, 1e10), true);
  CHECK(slow_inside.wire_in_ring(1e6, true).paced_s == 0);
  CHECK(slow_inside.wire_in_ring(1e6, false).pacing_link == 0);
  CHECK(slow_inside.wire_in_ring(1e6, false).paced_s == about(1e6 / 1e9 - 1e6 / 1e10, 1e-12));
  CHECK(ProtocolChoice(lean, TwoHosts(), false).wire_in_ring(1e6, true).paced_s == 0);
  CHECK(ProtocolChoice(lean, HandMadeRoutes::star(2, 1e9, 0), true).wire_in_ring(1e6, false).paced_s == 0);
}

TEST_CASE(
    "in a paced ring one protocol carries all messages, the fastest one by the mean latency of the hops") {
  const ProtocolChoice paced(quick_and_lean, TwoHosts(), true);
  // At the slowest hop's b = 1 GB/s, (1 + 0.5)/2 µs + 4m/b = (10 + 2)/2 µs + m/b at m = 1,750. Outside of
  // rings protocols change at larger sizes: at 3,000 bytes between hosts and not below that inside a host.
  for (const bool is_inside_host : {false, true}) {
    const auto latency_of = [&](const Protocol& protocol) {
      return is_inside_host ? protocol.intra_host_latency_s : protocol.latency_s;
    };
    CHECK(paced.wire_in_ring(1'749, is_inside_host).wire.latency_s == latency_of(quick_and_lean[0]));
    CHECK(paced.wire_in_ring(1'751, is_inside_host).wire.latency_s == latency_of(quick_and_lean[1]));
    CHECK(paced.wire(1'751, is_inside_host).latency_s == latency_of(quick_and_lean[0]));
  }
  CHECK(paced.wire_in_ring(1'749, true).paced_s == about(1'749 * (4 / 1e9 - 1 / 1e10), 1e-12));
}

/// The time in seconds at which rank 1 has received a message of `bytes` that rank 0 sends at 0 s.
double received_s(double bytes, const MessageCosts& costs) {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, link_Bps, link_latency_s);
  EventNetwork network(routes);
  SimulatedWorld world(routes, network, costs);
  double received_s = 0;
  world.run([&](Worker& worker) {
    const Buffer message = Buffer::sized(1, bytes);
    if (worker.rank() == 0) return worker.send(message, 1, 0);
    worker.receive(message, 0, 0);
    received_s = worker.now();
  });
  CHECK(world.statistics().bytes == bytes);
  return received_s;
}

TEST_CASE(
    "a message takes the bytes and the latency of its protocol whether it is eager or sent by rendezvous") {
  const auto close_to = [](double time_s) { return about(time_s, 1e-12); };
  CHECK(received_s(10'000, {.protocols = quick_and_lean}) == close_to(2e-6 + 4e-6 + 1e-6));
  CHECK(received_s(1e6, {.protocols = quick_and_lean}) == close_to(2e-6 + 100e-6 + 10e-6));
  CHECK(received_s(1e6, {.overhead_s = 3e-6, .protocols = quick_and_lean}) ==
        close_to(3e-6 + 2e-6 + 100e-6 + 3e-6 + 10e-6));
  // Request and answer have no contents and no protocol: two more times the latency of the route, 2 µs.
  CHECK(received_s(1e6, {.eager_threshold_bytes = 0, .protocols = quick_and_lean}) ==
        close_to(3 * 2e-6 + 100e-6 + 10e-6));
}

TEST_CASE("a notification takes the bytes and the latency of a protocol like any other message") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, link_Bps, link_latency_s);
  EventNetwork network(routes);
  SimulatedWorld world(routes, network, {.protocols = quick_and_lean});
  world.run([&](Worker& worker) {
    if (worker.rank() == 0) return worker.notify(1, 7);
    CHECK(worker.wait_notification().payload == 7);
    CHECK(worker.now() == about(2e-6 + 4 * Notification::bytes / link_Bps + 1e-6));
  });
}

TEST_CASE("messages larger than the eager threshold are counted as rendezvous messages") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, link_Bps, link_latency_s);
  EventNetwork network(routes);
  SimulatedWorld world(routes, network, {.eager_threshold_bytes = 1000});
  world.run([](Worker& worker) {
    for (const double bytes : {999.0, 1000.0, 1001.0}) {
      if (worker.rank() == 0)
        worker.send(Buffer::sized(1, bytes), 1, 0);
      else
        worker.receive(Buffer::sized(1, bytes), 0, 0);
    }
  });
  CHECK(world.statistics().messages == 3);
  CHECK(world.statistics().rendezvous_messages == 1);
}

TEST_CASE("NCCL's protocols change at the message sizes at which its tuning model gives them equal times") {
  // With b of 100 Gb/s, 12.5 GB/s, between hosts, 2.7 µs + 4m/b (LL) = 4 µs + m/(0.92·b) (LL128) at
  // m = 5,580, and 4 µs + m/(0.92·b) = 14 µs + m/b (simple) at m = 1.4375·10⁶.
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 12.5e9, link_latency_s);
  const ProtocolChoice nccl(transport("nccl_ib").costs.protocols, routes, true);
  const auto latency_of = [&](double bytes) { return nccl.wire(bytes, false).latency_s; };
  CHECK(latency_of(5'578) == 2.7e-6);
  CHECK(latency_of(5'582) == 4e-6);
  CHECK(latency_of(1.4375e6 - 10) == 4e-6);
  CHECK(latency_of(1.4375e6 + 10) == 14e-6);
}

TEST_CASE("every transport has a name of its own, and the ideal one costs nothing") {
  CHECK(transport_names() == std::vector<std::string>{"nccl_ib", "nccl_tcp", "mpi_ib", "mpi_tcp", "ideal"});
  const MessageCosts& ideal = transport("ideal").costs;
  CHECK(ideal.overhead_s == 0);
  CHECK(ideal.protocols.empty());
  CHECK(std::isinf(ideal.eager_threshold_bytes));
  CHECK(std::isinf(ideal.send_buffer_bytes));
}

}  // namespace
}  // namespace starling
