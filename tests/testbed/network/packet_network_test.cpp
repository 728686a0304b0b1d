#include "testbed/network/packet_network.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "tests/rounding.hpp"
#include "tests/sim/networks/hand_made_routes.hpp"

using namespace starling;

namespace {

constexpr double rate_Bps = 25e6;
constexpr double latency_s = 100e-6;

struct Delivery {
  int source;
  int destination;
  double due_s;
};

/// A packet network driven by a simulated clock that jumps from event to event.
class Bench {
 public:
  explicit Bench(const HandMadeRoutes& routes, PacketNetworkOptions options = {.queue_bytes = 1 << 30})
      : network_(HostRoutes(routes), options, [this](double due_s, const Frame& frame) {
          deliveries_.push_back({frame.source_host, frame.destination_host, due_s});
        }) {}

  void send(double at_s, int source, int destination, std::int64_t bytes) {
    network_.advance(at_s);
    Frame& frame = network_.spare_frame();
    frame.source_host = source;
    frame.destination_host = destination;
    frame.wire_bytes = bytes;
    network_.send_spare(at_s);
  }

  const std::vector<Delivery>& run() {
    while (const auto next_s = network_.next_time_s()) network_.advance(*next_s);
    return deliveries_;
  }
  const PacketNetwork& network() const { return network_; }

 private:
  std::vector<Delivery> deliveries_;
  PacketNetwork network_;
};

// Sums of a few terms, in another order than the program's.
doctest::Approx time(double value_s) { return about(value_s, 1e-12); }

/// Hosts 0 and 1 at the ends of a chain of links of those bandwidths.
HandMadeRoutes chain(const std::vector<double>& bandwidths_Bps) {
  HandMadeRoutes routes(2);
  std::vector<LinkIndex> there;
  for (const double bandwidth_Bps : bandwidths_Bps)
    there.push_back(routes.add_link(0, 1, bandwidth_Bps, latency_s));
  routes.add_route(0, 1, there);
  routes.add_route(1, 0, {routes.add_link(1, 0, rate_Bps, latency_s)});
  return routes;
}

}  // namespace

TEST_CASE("A frame takes its bytes over the least bandwidth plus the sum of the latencies") {
  using Bandwidths = std::vector<double>;
  for (const Bandwidths& bandwidths_Bps : {Bandwidths{rate_Bps},
                                           {rate_Bps, rate_Bps},
                                           {rate_Bps, 4 * rate_Bps, rate_Bps},
                                           {4 * rate_Bps, rate_Bps, 2 * rate_Bps},
                                           {2 * rate_Bps, 3 * rate_Bps, rate_Bps}}) {
    const HandMadeRoutes routes = chain(bandwidths_Bps);
    Bench bench(routes);
    bench.send(1, 0, 1, 15'140);
    const auto& deliveries = bench.run();
    REQUIRE(deliveries.size() == 1);
    CHECK(deliveries[0].due_s ==
          time(1 + 15'140 / rate_Bps + static_cast<double>(bandwidths_Bps.size()) * latency_s));
  }
}

TEST_CASE("Switches that store and forward add a packet's time on every link but the first") {
  // A frame of 10 packets over 3 links: the last packet leaves the first link after all 10, and takes its own
  // time on each of the other two.
  const HandMadeRoutes routes = chain({rate_Bps, rate_Bps, rate_Bps});
  Bench bench(
      routes,
      {.queue_bytes = 1 << 30, .largest_packet_bytes = 1514, .switching = Switching::store_and_forward});
  bench.send(0, 0, 1, 15'140);
  CHECK(bench.run()[0].due_s == time((15'140 + 2 * 1514) / rate_Bps + 3 * latency_s));
}

TEST_CASE("A single packet takes the textbook time of store and forward, whatever the links' bandwidths") {
  const HandMadeRoutes routes = chain({4 * rate_Bps, rate_Bps, 2 * rate_Bps});
  Bench bench(
      routes,
      {.queue_bytes = 1 << 30, .largest_packet_bytes = 1514, .switching = Switching::store_and_forward});
  bench.send(0, 0, 1, 1000);
  CHECK(bench.run()[0].due_s == time(1000 / rate_Bps * (0.25 + 1 + 0.5) + 3 * latency_s));
}

TEST_CASE("Frames of one host leave in order, one after another") {
  const HandMadeRoutes routes = HandMadeRoutes::star(3, rate_Bps, latency_s);
  Bench bench(routes);
  bench.send(0, 0, 1, 10'000);
  bench.send(0, 0, 2, 5'000);
  bench.send(0, 0, 1, 5'000);
  const auto& deliveries = bench.run();
  REQUIRE(deliveries.size() == 3);
  CHECK(deliveries[0].due_s == time(10'000 / rate_Bps + 2 * latency_s));
  CHECK(deliveries[1].destination == 2);
  CHECK(deliveries[1].due_s == time(15'000 / rate_Bps + 2 * latency_s));
  CHECK(deliveries[2].due_s == time(20'000 / rate_Bps + 2 * latency_s));
}

TEST_CASE("A link idles between frames that are sent apart") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, rate_Bps, latency_s);
  Bench bench(routes);
  bench.send(0, 0, 1, 10'000);
  bench.send(1, 0, 1, 10'000);
  CHECK(bench.run()[1].due_s == time(1 + 10'000 / rate_Bps + 2 * latency_s));
}

TEST_CASE("Frames of several hosts to one share its link without a gap") {
  // 7 hosts begin at once: the link to the receiver is busy from the first head's arrival on.
  const HandMadeRoutes routes = HandMadeRoutes::star(8, rate_Bps, latency_s);
  Bench bench(routes);
  for (int source = 1; source < 8; ++source)
    for (int i = 0; i < 20; ++i) bench.send(0, source, 0, 6056);
  const auto& deliveries = bench.run();
  REQUIRE(deliveries.size() == 140);
  CHECK(deliveries.back().due_s == time(140 * 6056 / rate_Bps + 2 * latency_s));
  // Flows alternate: after every 7 deliveries each of them has had as much.
  for (std::size_t i = 7; i < deliveries.size(); ++i) CHECK(deliveries[i].source == deliveries[i - 7].source);
}

TEST_CASE("Slow links fill a fast one completely") {
  // Four hosts at 1/4 of the bandwidth of the link between two switches: their packets alternate there, and
  // all is as if each had a link of its own.
  HandMadeRoutes routes(8);
  const LinkIndex trunk = routes.add_link(8, 9, 4 * rate_Bps, latency_s);
  for (int i = 0; i < 4; ++i)
    routes.add_route(
        i, 4 + i,
        {routes.add_link(i, 8, rate_Bps, latency_s), trunk, routes.add_link(9, 4 + i, rate_Bps, latency_s)});
  Bench bench(routes);
  constexpr int frames = 50;
  constexpr std::int64_t bytes = 6056;
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < frames; ++k) bench.send(0, i, 4 + i, bytes);
  const auto& deliveries = bench.run();
  REQUIRE(deliveries.size() == 4 * frames);
  for (std::size_t i = 0; i < deliveries.size(); ++i) {
    const double sent = static_cast<double>(i / 4 + 1);
    CHECK(deliveries[i].due_s == time(sent * bytes / rate_Bps + 3 * latency_s));
  }
}

TEST_CASE("A bottleneck behind a fast link serves two senders one after another") {
  // Worked by hand: hosts 0 and 1 send 10,000 bytes each over links of their own to a link of twice the
  // bandwidth, host 1 half a frame later, and on to host 2 over a slow one, which both must share.
  HandMadeRoutes routes(3);
  const LinkIndex trunk = routes.add_link(3, 4, 2 * rate_Bps, latency_s);
  const LinkIndex last = routes.add_link(4, 2, rate_Bps, latency_s);
  for (int i = 0; i < 2; ++i)
    routes.add_route(i, 2, {routes.add_link(i, 3, rate_Bps, latency_s), trunk, last});
  Bench bench(routes);
  bench.send(0, 0, 2, 10'000);
  bench.send(5'000 / rate_Bps, 1, 2, 10'000);
  const auto& deliveries = bench.run();
  CHECK(deliveries[0].due_s == time(10'000 / rate_Bps + 3 * latency_s));
  CHECK(deliveries[1].due_s == time(20'000 / rate_Bps + 3 * latency_s));
}

TEST_CASE("A queue takes what fits and drops the rest") {
  // At time 0 ten frames of 1000 bytes: a link of 4500 bytes of queue takes four.
  const HandMadeRoutes routes = HandMadeRoutes::star(2, rate_Bps, latency_s);
  Bench bench(routes, {.queue_bytes = 4500});
  for (int i = 0; i < 10; ++i) bench.send(0, 0, 1, 1000);
  // When half of them are sent, two more fit.
  for (int i = 0; i < 10; ++i) bench.send(2000 / rate_Bps, 0, 1, 1000);
  CHECK(bench.run().size() == 6);
  const LinkCounters& first = bench.network().counters()[0];
  CHECK(first.frames == 6);
  CHECK(first.bytes == 6000);
  CHECK(first.dropped_frames == 14);
  CHECK(first.longest_queue_bytes == 4000);
  CHECK(bench.network().counters()[3].dropped_frames == 0);
}

TEST_CASE("Frames of opposite directions do not meet") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, rate_Bps, latency_s);
  Bench bench(routes);
  bench.send(0, 0, 1, 10'000);
  bench.send(0, 1, 0, 10'000);
  const auto& deliveries = bench.run();
  REQUIRE(deliveries.size() == 2);
  for (const Delivery& delivery : deliveries)
    CHECK(delivery.due_s == time(10'000 / rate_Bps + 2 * latency_s));
}

TEST_CASE("A network that is looked at late delivers what was due, with the times it was due") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, rate_Bps, latency_s);
  Bench bench(routes);
  bench.send(0, 0, 1, 10'000);
  bench.send(0.5, 1, 0, 10'000);  // lets half a second pass at once
  const auto& deliveries = bench.run();
  CHECK(deliveries[0].due_s == time(10'000 / rate_Bps + 2 * latency_s));
}
