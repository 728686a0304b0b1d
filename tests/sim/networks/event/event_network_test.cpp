#include "sim/networks/event/event_network.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <random>
#include <vector>

#include "sim/networks/link_watch.hpp"
#include "sim/networks/small_message.hpp"
#include "tests/rounding.hpp"
#include "tests/sim/networks/hand_made_routes.hpp"
#include "tests/sim/networks/transfers.hpp"

namespace starling {
namespace {

/// The time in seconds at which each message arrives.
std::vector<double> event_arrivals_s(const Routes& routes, const std::vector<Sending>& sendings) {
  EventNetwork network(routes);
  return send_all(network, sendings, 1e6).times_s;
}

/// Workers 0 … n−1 reach worker n through two switches: links of 1 kB/s each, then a trunk, then a last link.
HandMadeRoutes trunk(int senders, double trunk_Bps, double last_Bps, double latency_s) {
  HandMadeRoutes routes(senders + 1);
  const int left = senders + 1;
  const int right = senders + 2;
  for (int i = 0; i < senders; ++i) routes.add_link(i, left, 1e3, latency_s);
  const LinkIndex middle = routes.add_link(left, right, trunk_Bps, latency_s);
  const LinkIndex last = routes.add_link(right, senders, last_Bps, latency_s);
  for (int i = 0; i < senders; ++i) routes.add_route(i, senders, {i, middle, last});
  return routes;
}

TEST_CASE("an uncontended message takes the sum of latencies and its bytes at the least bandwidth") {
  HandMadeRoutes routes(2);
  const LinkIndex fast = routes.add_link(0, 2, 100, 0.5);
  const LinkIndex slow = routes.add_link(2, 3, 10, 0.25);
  const LinkIndex medium = routes.add_link(3, 1, 20, 0.125);
  routes.add_route(0, 1, {fast, slow, medium});
  CHECK(event_arrivals_s(routes, {{1, 0, 1, 30}})[0] == about(1 + 0.875 + 3));
  CHECK(event_arrivals_s(routes, {{1, 0, 1, 0}})[0] == about(1.875));
}

TEST_CASE("eight senders into one port take turns: the last ends when the port has passed all bytes") {
  const HandMadeRoutes routes = HandMadeRoutes::star(9, 12.5e9, 0.5e-6);
  std::vector<Sending> sendings;
  for (int i = 0; i < 8; ++i) sendings.push_back({0, i, 8, 10e6});
  const std::vector<double> ends_s = event_arrivals_s(routes, sendings);
  for (int i = 0; i < 8; ++i)
    CHECK(ends_s[static_cast<std::size_t>(i)] == about((i + 1) * 10e6 / 12.5e9 + 1e-6));
}

TEST_CASE("a link serves messages in the order they reach it, not in the order they were sent") {
  HandMadeRoutes routes(3);
  const LinkIndex slow_way = routes.add_link(0, 3, 1e3, 10);
  const LinkIndex fast_way = routes.add_link(1, 3, 1e3, 1);
  const LinkIndex shared = routes.add_link(3, 2, 1e3, 0);
  routes.add_route(0, 2, {slow_way, shared});
  routes.add_route(1, 2, {fast_way, shared});
  // The first message reaches the shared link at 10 s; the second, sent at 2 s, occupies it from 3 to 8 s.
  CHECK(event_arrivals_s(routes, {{0, 0, 2, 5e3}, {2, 1, 2, 5e3}}) == std::vector<double>{15, 8});
  // Sent at 8 s the second reaches it at 9 s and is served first, too.
  CHECK(event_arrivals_s(routes, {{0, 0, 2, 5e3}, {8, 1, 2, 5e3}}) == std::vector<double>{19, 14});
}

/// How many entries the agenda has for the message itself.
std::uint64_t entries_of(const Routes& routes, const Sending& sending) {
  EventNetwork network(routes);
  return entries_of(network, {sending});
}

TEST_CASE(
    "a link that all messages reach after equal latencies is decided in the agenda entry of the link "
    "before") {
  const Sending sending = {1, 0, 2, 1000};
  CHECK(entries_of(HandMadeRoutes::star(3, 1e3, 0.5), sending) == 1);
  CHECK(entries_of(trunk(2, 1e3, 1e3, 0.5), sending) == 1);
  HandMadeRoutes uneven(3);
  const std::vector<LinkIndex> route = {uneven.add_link(0, 3, 1e3, 0.5), uneven.add_link(3, 2, 1e3, 0.5)};
  uneven.add_link(1, 3, 1e3, 0.25);
  uneven.add_route(0, 2, route);
  CHECK(entries_of(uneven, sending) == 2);
}

TEST_CASE(
    "switches are decided after those that feed them, whatever their order, and a cycle takes one more "
    "entry") {
  // 0 → 3 → 5 → 4 → 2, and in a cycle also from 4 back to 3, which then has messages from 0 and from 4.
  for (const bool is_cycle : {false, true}) {
    HandMadeRoutes routes(3);
    std::vector<LinkIndex> route;
    for (const auto& [from, to] : {std::pair{0, 3}, {3, 5}, {5, 4}, {4, 2}})
      route.push_back(routes.add_link(from, to, 1e3, 0.5));
    if (is_cycle) routes.add_link(4, 3, 1e3, 0.5);
    routes.add_route(0, 2, route);
    CHECK(entries_of(routes, {1, 0, 2, 1000}) == (is_cycle ? 2 : 1));
  }
}

TEST_CASE("a message that waits on its first link does not reserve the links after it too early") {
  // Worker 0 sends to 1, then to 2: the second leaves at 10 s. Worker 3 sends to 2 at 4 s and must not wait
  // for it.
  const HandMadeRoutes routes = HandMadeRoutes::star(4, 1e3, 0);
  CHECK(event_arrivals_s(routes, {{0, 0, 1, 10e3}, {0, 0, 2, 10e3}, {4, 3, 2, 5e3}}) ==
        std::vector<double>{10, 20, 9});
}

TEST_CASE("a message without bytes neither waits for other messages nor delays them") {
  const HandMadeRoutes routes = HandMadeRoutes::star(3, 1e3, 0.5);
  CHECK(event_arrivals_s(routes, {{0, 0, 2, 10e3}, {1, 0, 2, 0}, {1, 1, 2, 0}, {2, 0, 2, 3e3}}) ==
        std::vector<double>{11, 2, 2, 14});
}

/// When three messages arrive, in seconds: one of 15 kB, one of `bytes` that reaches the same port 1 s later,
/// and one of 3 kB that reaches it after another second. Latency is 1 s, bandwidth 1 kB/s.
std::vector<double> around_a_message_of(double bytes) {
  return event_arrivals_s(HandMadeRoutes::star(4, 1e3, 0.5),
                          {{0, 0, 3, 15e3}, {1, 1, 3, bytes}, {2, 2, 3, 3e3}});
}

TEST_CASE(
    "a message of one packet passes between the packets of others, yet takes its part of the bandwidth") {
  const std::vector<double> ends_s = around_a_message_of(1500);
  CHECK(ends_s[0] == about(16));
  CHECK(ends_s[1] == about(3.5));   // as if alone
  CHECK(ends_s[2] == about(20.5));  // 15 + 1.5 + 3 s of work before it has passed
}

TEST_CASE("a message of one byte more than a packet waits for the messages that came before it") {
  const std::vector<double> ends_s = around_a_message_of(1501);
  CHECK(ends_s[0] == about(16));
  CHECK(ends_s[1] == about(17.501));
  CHECK(ends_s[2] == about(20.501));
}

TEST_CASE(
    "a message of one packet passes others on every link of its route, the link of its source included") {
  const HandMadeRoutes routes = trunk(2, 1e3, 1e3, 0.5);
  CHECK(event_arrivals_s(routes, {{0, 0, 2, 15e3}, {1, 0, 2, 1000}, {1, 1, 2, 1000}, {2, 0, 2, 2e3}}) ==
        std::vector<double>{16.5, 3.5, 3.5, 20.5});
}

TEST_CASE("four links of 1 kB/s share a trunk of 4 kB/s without waiting for each other") {
  // Four messages of 10 kB at 1 kB/s each fit a trunk of 4 kB/s together.
  for (const double end_s : event_arrivals_s(
           trunk(4, 4e3, 4e3, 0), {{0, 0, 4, 10e3}, {0, 1, 4, 10e3}, {0, 2, 4, 10e3}, {0, 3, 4, 10e3}}))
    CHECK(end_s == about(10));
}

TEST_CASE("the last message over an oversubscribed link arrives when the link has passed all bytes") {
  const std::vector<double> ends_s = event_arrivals_s(
      trunk(4, 2e3, 4e3, 0.5), {{0, 0, 4, 10e3}, {0, 1, 4, 10e3}, {0, 2, 4, 10e3}, {0, 3, 4, 10e3}});
  CHECK(ends_s[0] == about(11.5));  // at 1 kB/s
  CHECK(ends_s[1] == about(11.5));
  CHECK(ends_s[3] == about(21.5));  // 40 kB at 2 kB/s
}

TEST_CASE(
    "no schedule of messages of many packets moves more bytes through a link than its bandwidth allows") {
  CHECK(rc::check(
      [](const std::vector<std::tuple<unsigned char, unsigned char, unsigned char, unsigned char>>& random) {
        const HandMadeRoutes routes = HandMadeRoutes::star(5, 2e3, 0.25);
        std::vector<Sending> sendings;
        for (const auto& [at, source, shift, bytes] : random)
          sendings.push_back({at / 16.0, source % 5, (source + 1 + shift % 4) % 5, bytes * 250.0});
        const std::vector<double> ends_s = event_arrivals_s(routes, sendings);
        for (Rank port = 0; port < 5; ++port) {
          double bytes = 0;
          double first_s = 1e9;
          double last_s = 0;
          for (std::size_t i = 0; i < sendings.size(); ++i) {
            const double alone_s = sendings[i].at_s + 0.5 + sendings[i].bytes / 2e3;
            RC_ASSERT(ends_s[i] >= alone_s * (1 - rounding));
            if (sendings[i].destination != port || sendings[i].bytes <= small_message_bytes) continue;
            bytes += sendings[i].bytes;
            first_s = std::min(first_s, sendings[i].at_s + 0.5);
            last_s = std::max(last_s, ends_s[i]);
          }
          if (bytes > 0) RC_ASSERT(last_s >= (first_s + bytes / 2e3) * (1 - rounding));
        }
      }));
}

TEST_CASE("a link watch has a message on a link during the time in which the link serves it") {
  const HandMadeRoutes routes = HandMadeRoutes::star(3, 1e3, 1);
  LinkWatch watch(routes.links(), {0, 4, 8, 11});
  EventNetwork network(routes);
  network.report_to(watch);
  // Both go into one port, which serves them from 1 to 6 s and from 6 to 12 s.
  send_all(network, {{0, 0, 2, 5e3}, {0, 1, 2, 6e3}}, 1e6);
  CHECK(watch.carried(0) == std::vector<double>{4e3, 1e3, 0, 0});
  CHECK(watch.carried(5) == std::vector<double>{3e3, 4e3, 3e3, 1e3});
}

TEST_CASE("with no latency no send ends after its message has arrived, whatever the rounding") {
  HandMadeRoutes routes(2);
  routes.add_route(0, 1, {routes.add_link(0, 1, 1e9 / 3, 0)});
  std::mt19937 random(5);
  std::uniform_real_distribution<double> bytes(2e3, 1e6);
  std::vector<Sending> sendings;
  for (int i = 0; i < 300; ++i) sendings.push_back({1e-3 * i / 7, 0, 1, bytes(random)});
  EventNetwork network(routes);
  int arrived_before = 0;
  // NotedTransfer::left() checks that no send ends after its message has arrived.
  for (const NotedTransfer& message : send_buffered(network, sendings, 0, 1e6)) {
    CHECK(message.arrived_s > 0);
    arrived_before += message.left_s < 0 ? 1 : 0;
  }
  CHECK(arrived_before > 0);
}

}  // namespace
}  // namespace starling
