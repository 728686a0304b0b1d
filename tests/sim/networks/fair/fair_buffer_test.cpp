#include <doctest/doctest.h>

#include <deque>
#include <vector>

#include "fair_sending.hpp"
#include "sim/networks/fair/fair_network.hpp"
#include "tests/rounding.hpp"
#include "tests/sim/networks/hand_made_routes.hpp"
#include "tests/sim/networks/transfers.hpp"

namespace starling {
namespace {

std::deque<NotedTransfer> send_buffered(const Routes& routes, const std::vector<Sending>& sendings,
                                        double buffered_bytes, const FairOptions& options = exact) {
  FairNetwork network(routes, options);
  return send_buffered(network, sendings, buffered_bytes, patience_s);
}

TEST_CASE("fair: a send alone on its links ends when no more is left than the buffer holds") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e3, 0.5);
  const auto all = send_buffered(routes, {{0, 0, 1, 10e3}, {1, 0, 1, 3e3}, {1, 0, 1, 5e3}}, 4e3);
  CHECK(all[0].left_s == about(6));
  CHECK(all[1].left_s == about(9));  // the buffer holds its 3 kB and the last 1 kB before it
  CHECK(all[2].left_s == about(14));
  CHECK(all[2].arrived_s == about(18 + 1));
  CHECK(send_buffered(routes, {{0, 0, 1, 1000}}, 400)[0].left_s == about(0.6));
  const auto unbuffered = send_buffered(routes, {{0, 0, 1, 10e3}, {0, 0, 1, 5e3}}, 0);
  CHECK(unbuffered[0].left_s == about(10));
  CHECK(unbuffered[0].arrived_s == about(11));
  CHECK(unbuffered[1].left_s == about(15));
}

TEST_CASE("fair: a send ends when no more is left than the buffer holds, also where messages share links") {
  const HandMadeRoutes routes = HandMadeRoutes::star(4, 1e3, 0.5);
  const auto together = send_buffered(routes, {{0, 0, 2, 10e3}, {0, 1, 2, 10e3}, {0, 1, 2, 6e3}}, 4e3);
  CHECK(together[0].left_s == about(12));
  CHECK(together[1].left_s == about(12));
  CHECK(together[1].arrived_s == about(20 + 1));
  CHECK(together[2].left_s == about(22));
  // Of the first message 2 kB have passed when the second comes. Of the third, which flows alone from 30 s,
  // 7 kB have passed when the fourth comes: its send has ended by then.
  const auto later =
      send_buffered(routes, {{0, 0, 2, 10e3}, {2, 1, 2, 10e3}, {30, 1, 3, 10e3}, {37, 0, 3, 2e3}}, 4e3);
  CHECK(later[0].left_s == about(2 + 8));
  CHECK(later[1].left_s == about(2 + 12));
  CHECK(later[2].left_s == about(36));
  CHECK(later[2].arrived_s == about(37 + 4 + 1 + 1));
}

TEST_CASE("fair: a send ends at once while its connection has no more to send than the buffer holds") {
  const HandMadeRoutes routes = HandMadeRoutes::star(4, 1e3, 0.5);
  const auto alone =
      send_buffered(routes, {{1, 0, 1, 3e3}, {2, 0, 1, 2e3}, {2, 0, 1, 500}, {9, 0, 1, 1}}, 4e3);
  CHECK(alone[0].left_s == about(1));
  CHECK(alone[1].left_s == about(2));    // 2 + 2 kB are left
  CHECK(alone[2].left_s == about(2.5));  // at 2 s 4.5 kB are left, half a second later 4 kB
  CHECK(alone[3].left_s == about(9));
  // Two flow at 500 B/s each until 20 s; of the first message 3 kB are left when the third is sent.
  const auto shared = send_buffered(
      routes, {{0, 0, 2, 10e3}, {0, 1, 2, 10e3}, {14, 0, 2, 3e3}, {14.5, 0, 2, 500}, {19.5, 0, 2, 200}}, 4e3);
  CHECK(shared[0].left_s == about(12));
  CHECK(shared[2].left_s == about(14 + 2 / 0.5));
  CHECK(shared[3].left_s == about(14.5 + 2.25 / 0.5));
  CHECK(shared[4].left_s == about(19.5));  // 250 + 3,000 + 500 + 200 B are left
  CHECK(shared[0].arrived_s == about(20 + 1));
  CHECK(shared[2].arrived_s == about(23 + 1));
}

TEST_CASE(
    "fair: a message on the control channel needs no room in the buffer behind those of its connection") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e3, 0.5);
  const std::vector<Sending> sendings = {{0, 0, 1, 10e3}, {1, 0, 1, 1000}};
  CHECK(send_buffered(routes, sendings, 4e3)[1].left_s == about(1 + 6));  // 9 + 1 kB are left
  FairOptions apart = exact;
  apart.has_control_channel = true;
  CHECK(send_buffered(routes, sendings, 4e3, apart)[1].left_s == about(1));
  CHECK(send_buffered(routes, sendings, 400, apart)[1].left_s == about(1 + 0.6));
}

TEST_CASE("fair: a send waits while the bytes left of it and of the message before exceed the buffer") {
  const HandMadeRoutes routes = HandMadeRoutes::star(3, 1e3, 0.5);
  // At 10 s 5 of the 10 kB are left, and 500 bytes more are sent: the buffer of 4 kB has room for them when
  // 1.5 kB have left, at 500 B/s.
  const auto all = send_buffered(routes, {{0, 0, 2, 10e3}, {0, 1, 2, 10e3}, {10, 0, 2, 500}}, 4e3);
  CHECK(all[0].left_s == about(12));
  CHECK(all[2].left_s == about(10 + 1.5 / 0.5));
}

TEST_CASE(
    "fair: messages queued before their connection shared its links still take room in the buffer "
    "afterwards") {
  const HandMadeRoutes routes = HandMadeRoutes::star(3, 1e3, 0.5);
  const auto third_left_s = [&](double at_s) {
    return send_buffered(routes, {{0, 0, 2, 3e3}, {0, 0, 2, 3e3}, {1, 1, 2, 10e3}, {at_s, 0, 2, 500}}, 4e3)[3]
        .left_s;
  };
  CHECK(third_left_s(1.5) == about(1.5 + 1.25 / 0.5));  // 1,750 + 3,000 + 500 B are left
  CHECK(third_left_s(6) == about(6));                   // 2,500 + 500 B are left
}

TEST_CASE(
    "fair: a send ends when no more is left than the buffer holds, within the first window and after it") {
  const HandMadeRoutes routes = HandMadeRoutes::star(3, 1e3, 0.5);
  const double window_Bps = 500 / 2.1;
  // Beside another message, too, the first one has more of the port than its window lets through.
  for (const double others : {0.0, 2e3}) {
    std::vector<Sending> sendings = {{0, 0, 2, 5e3}};
    if (others > 0) sendings.push_back({1, 1, 2, others});
    CHECK(send_buffered(routes, sendings, 4.8e3, small_window)[0].left_s == about(0.2));
    CHECK(send_buffered(routes, sendings, 4e3, small_window)[0].left_s == about(0.5 + 500 / window_Bps));
  }
}

TEST_CASE("fair: a buffer has room for the next message as soon as the window has let enough through") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e3, 0.5);
  const double window_Bps = 500 / 2.1;
  // Of 5 + 1.6 kB 4 kB are left when the first window of 500 bytes and 2,100 bytes more have passed.
  const double room_s = 0.5 + 2100 / window_Bps;
  const auto second_left_s = [&](double at_s) {
    return send_buffered(routes, {{0, 0, 1, 5e3}, {at_s, 0, 1, 1600}}, 4e3, small_window)[1].left_s;
  };
  CHECK(second_left_s(0.2) == about(room_s));
  CHECK(second_left_s(5) == about(room_s));
  CHECK(second_left_s(room_s + 0.1) == about(room_s + 0.1));
}

TEST_CASE(
    "fair: a send limited by the rate of its connection ends when no more is left than the buffer holds") {
  const HandMadeRoutes routes = HandMadeRoutes::star(3, 1e3, 0.5);
  CHECK(send_buffered(routes, {{0, 0, 1, 10e3}}, 4e3, small_rate)[0].left_s == about(24));
  const auto both = send_buffered(routes, {{0, 0, 1, 10e3}, {0, 0, 2, 10e3}}, 4e3, small_rate);
  for (const NotedTransfer& each : both) CHECK(each.left_s == about(24));
}

TEST_CASE("fair: the rest of a first window passes at link speed also after a send has ended within it") {
  const HandMadeRoutes routes = HandMadeRoutes::star(3, 1e3, 0.5);
  const double window_Bps = 500 / 2.1;
  // Of the first window 100 bytes pass alone and 400 at half of the link. The send ends after the first 100
  // of these, when 4,800 of 5,000 bytes are left.
  const auto all = send_buffered(routes, {{0, 0, 2, 5e3}, {0.1, 1, 2, 5e3}}, 4.8e3, small_window);
  CHECK(all[0].left_s == about(0.1 + 0.1 / 0.5));
  CHECK(all[0].arrived_s == about(0.1 + 0.4 / 0.5 + 4500 / window_Bps + 1, share_error));
}

TEST_CASE("fair: a send that ends while an earlier message flows changes no arrival") {
  const HandMadeRoutes routes = HandMadeRoutes::star(3, 1e3, 0.5);
  const double window_Bps = 500 / 2.1;
  FairOptions weighted = small_window;
  weighted.weight_s_bytes = 100;  // equal weights, but not of 1
  for (const double at_s : {0.0, 0.2}) {
    // At half of the link, 300 of 3,200 bytes have passed after 0.6 s, and the first window of 500 after 1 s.
    const auto all =
        send_buffered(routes, {{0, 0, 2, 1600}, {0, 1, 2, 5e3}, {at_s, 0, 2, 1600}}, 2900, weighted);
    CHECK(all[0].left_s == 0);
    CHECK(all[2].left_s == about(0.6));
    CHECK(all[0].arrived_s == about(1 + 1100 / window_Bps + 1, share_error));
    CHECK(all[2].arrived_s == about(1 + 2700 / window_Bps + 1, share_error));
  }
}

TEST_CASE("fair: bytes that a connection sent before it was idle do not count when it shares links again") {
  const HandMadeRoutes routes = HandMadeRoutes::star(3, 1e3, 0.5);
  const auto all = send_buffered(
      routes, {{0, 0, 2, 10e3}, {0, 1, 2, 10e3}, {19.5, 0, 2, 200}, {100, 0, 2, 10e3}, {100, 1, 2, 10e3}},
      4e3);
  CHECK(all[0].left_s == about(12));
  CHECK(all[2].left_s == about(19.5));
  CHECK(all[3].left_s == about(112));
}

TEST_CASE("fair: without a buffer every send ends when its last byte leaves, whatever the rounding") {
  const HandMadeRoutes routes = HandMadeRoutes::star(3, 1e9 / 3, 1e-3);
  std::vector<Sending> sendings;
  for (int i = 0; i < 200; ++i) sendings.push_back({1e-4 * i / 7, i % 2, 2, 1e5 * (1 + i % 13) / 11});
  for (const NotedTransfer& each : send_buffered(routes, sendings, 0))
    CHECK(each.left_s == about(each.arrived_s - 2e-3, share_error));
}

}  // namespace
}  // namespace starling
