#include <doctest/doctest.h>

#include <optional>
#include <vector>

#include "fair_sending.hpp"
#include "sim/networks/fair/fair_network.hpp"
#include "sim/networks/tcp/tcp_network.hpp"
#include "tests/rounding.hpp"
#include "tests/sim/networks/hand_made_routes.hpp"
#include "tests/sim/networks/transfers.hpp"

namespace starling {
namespace {

TEST_CASE("fair: a connection sends one window per round trip as tcp does") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e3, 0.5);
  for (const int windows : {4, 5, 20}) {
    CHECK(arrivals_s(routes, {{0, 0, 1, windows * 500.0}}, small_window)[0] ==
          about((windows - 1) * 2.1 + 0.5 + 1));
    TcpNetwork tcp(routes, {.window_bytes = 500, .frame_bytes = 100, .acknowledgment_bytes = 0});
    CHECK(arrivals_s(routes, {{0, 0, 1, windows * 500.0}}, small_window)[0] ==
          about(send_all(tcp, {{0, 0, 1, windows * 500.0}}, 1e6).times_s[0]));
  }
  // A window smaller than a frame counts as one whole frame.
  const FairOptions tiny = {.epsilon = 1e-9, .window_bytes = 500, .frame_bytes = 1000};
  TcpNetwork by_windows(routes, {.window_bytes = 500, .frame_bytes = 1000, .acknowledgment_bytes = 0});
  const double tiny_s = arrivals_s(routes, {{0, 0, 1, 5e3}}, tiny)[0];
  CHECK(tiny_s == about(9 * 2.5 + 0.5 + 1));
  CHECK(tiny_s == about(send_all(by_windows, {{0, 0, 1, 5e3}}, 1e6).times_s[0]));
  const FairOptions wide = {.window_bytes = 2100, .frame_bytes = 100};
  CHECK(arrivals_s(routes, {{0, 0, 1, 50e3}}, wide)[0] == about(50 + 1));
}

TEST_CASE(
    "fair: a connection has a first window again after it was idle, not for the next message of its queue") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e3, 0.5);
  const double window_Bps = 500 / 2.1;
  const auto ends_s = arrivals_s(routes, {{0, 0, 1, 2e3}, {1, 0, 1, 3e3}, {100, 0, 1, 2e3}}, small_window);
  CHECK(ends_s[0] == about(0.5 + 1500 / window_Bps + 1));
  CHECK(ends_s[1] == about(0.5 + 4500 / window_Bps + 1));
  CHECK(ends_s[2] == about(100 + 0.5 + 1500 / window_Bps + 1));
}

TEST_CASE("fair: a round trip has the latencies of both directions, which may differ") {
  HandMadeRoutes routes(2);
  routes.add_route(0, 1, {routes.add_link(0, 1, 1e3, 1)});
  routes.add_route(1, 0, {routes.add_link(1, 0, 1e3, 0.25)});
  CHECK(arrivals_s(routes, {{0, 0, 1, 2e3}}, small_window)[0] == about(3 * (1 + 0.1 + 0.25) + 0.5 + 1));
  CHECK(arrivals_s(routes, {{0, 1, 0, 2e3}}, small_window)[0] == about(3 * (1 + 0.1 + 0.25) + 0.5 + 0.25));
}

TEST_CASE("fair: a connection flows at link speed in its first window, then at one window per round trip") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e3, 0.5);
  FairNetwork network(routes, small_window);
  Scheduler scheduler;
  network.attach(scheduler);
  NotedTransfer message;
  message.scheduler = &scheduler;
  message.source = 0;
  message.destination = 1;
  message.bytes = 2e3;
  scheduler.spawn(0, "sender", [&] {
    network.start(message);
    scheduler.sleep_until(0.25);
    REQUIRE(network.rates().size() == 1);
    CHECK(network.rates()[0].rate_Bps == about(1e3));
    scheduler.sleep_until(0.75);
    REQUIRE(network.rates().size() == 1);
    CHECK(network.rates()[0].rate_Bps == about(500 / 2.1));
    scheduler.sleep_until(patience_s);
  });
  scheduler.run();
  CHECK(network.rates().empty());
}

TEST_CASE(
    "fair: the rest of a first window passes at the connection's share after another connection has come") {
  const HandMadeRoutes routes = HandMadeRoutes::star(3, 1e3, 0.5);
  const double window_Bps = 500 / 2.1;
  // Of the first window of 500 bytes 200 pass alone, in 0.2 s, and 300 at half of the link, in 0.6 s.
  CHECK(arrivals_s(routes, {{0, 0, 2, 2e3}, {0.2, 1, 2, 2e3}}, small_window)[0] ==
        about(0.2 + 0.6 + 1500 / window_Bps + 1, share_error));
}

TEST_CASE("fair: messages within a first window share links as without windows") {
  const HandMadeRoutes routes = HandMadeRoutes::star(3, 1e3, 0.5);
  const FairOptions wide = {.epsilon = 1e-9, .window_bytes = 2000, .frame_bytes = 100};
  const auto ends_s = arrivals_s(routes, {{0, 0, 2, 1600}, {0.6, 1, 2, 1600}}, wide);
  CHECK(ends_s[0] == about(0.6 + 1000 / 500.0 + 1, share_error));
  CHECK(ends_s[1] == about(2.6 + 600 / 1e3 + 1, share_error));
}

TEST_CASE("fair: connections that share a link keep to their windows, and leave the rest to others") {
  const HandMadeRoutes routes = HandMadeRoutes::star(4, 1e3, 0.5);
  const double window_Bps = 500 / 2.1;
  const std::vector<double> ends_s =
      arrivals_s(routes, {{0, 0, 2, 5e3}, {3, 1, 2, 5e3}, {3, 3, 2, 2e3}}, small_window);
  CHECK(ends_s[0] == about(0.5 + 4500 / window_Bps + 1));  // as if alone
  // The first windows of the other two, 1,000 bytes together, share what the first connection leaves.
  const double first_s = 1000 / (1e3 - window_Bps);
  CHECK(ends_s[1] == about(3 + first_s + 4500 / window_Bps + 1, share_error));
  CHECK(ends_s[2] == about(3 + first_s + 1500 / window_Bps + 1, share_error));
}

TEST_CASE("fair: a connection with a window and a rate sends its first window at the rate") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e3, 0.5);
  FairOptions both = small_window;
  both.connection_rate_Bps = 400;
  for (const int windows : {1, 4, 5})
    CHECK(arrivals_s(routes, {{0, 0, 1, windows * 500.0 + 1100}}, both)[0] ==
          about(500 / 400.0 + ((windows - 1) * 500.0 + 1100) / (500 / 2.25) + 1));
  both.connection_rate_Bps = 100;  // less than a window of 500 bytes per round trip of 3 s
  CHECK(arrivals_s(routes, {{0, 0, 1, 5e3}}, both)[0] == about(50 + 1));
}

TEST_CASE("fair: each of two streams of a connection has a window, and its frames pass at its own rate") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e3, 0.5);
  const auto two_s = [&](double window_bytes, std::optional<double> rate_Bps) {
    const FairOptions options{.epsilon = 1e-9,
                              .window_bytes = window_bytes,
                              .frame_bytes = 100,
                              .connection_rate_Bps = rate_Bps,
                              .streams = 2};
    return arrivals_s(routes, {{0, 0, 1, 40 * window_bytes}}, options)[0];  // 20 windows of each
  };
  CHECK(two_s(200, 100) == about(200 / 100.0 + 19 * (2 + 100 / 100.0) + 1));
  CHECK(two_s(80, 100) == about(80 / 100.0 + 19 * (2 + 80 / 100.0) + 1));
  // Two rates of 800 B/s, of which the link of 1,000 B/s does not have both.
  CHECK(two_s(200, 800) == about(2 * 200 / 1e3 + 19 * (2 + 100 / 800.0) + 1));
  // Without rates the two streams act like one connection with twice the window, as under tcp.
  TcpNetwork tcp(routes, {.window_bytes = 400, .frame_bytes = 100, .acknowledgment_bytes = 0});
  CHECK(two_s(200, {}) == about(2 * 200 / 1e3 + 19 * (2 + 100 / 1e3) + 1));
  CHECK(two_s(200, {}) == about(send_all(tcp, {{0, 0, 1, 8e3}}, 1e6).times_s[0]));
  CHECK(two_s(80, {}) == about(2 * 80 / 1e3 + 19 * (2 + 100 / 1e3) + 1));
}

}  // namespace
}  // namespace starling
