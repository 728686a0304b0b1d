#include "sim/networks/tcp/tcp_network.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "sim/networks/event/event_network.hpp"
#include "sim/networks/simgrid/simgrid_network.hpp"
#include "tests/rounding.hpp"
#include "tests/sim/networks/hand_made_routes.hpp"
#include "tests/sim/networks/transfers.hpp"

namespace starling {
namespace {

// Links of 1 kB/s, frames of 100 bytes and acknowledgments of 10 bytes, unless a test says otherwise.
constexpr double usual_Bps = 1e3;
constexpr double frame_bytes = 100;
constexpr double frame_s = 0.1;
constexpr double acknowledgment_s = 0.01;
constexpr int no_limit = 1 << 20;

TcpOptions with_window_of(int frames) {
  return {.window_bytes = frames * frame_bytes,
          .frame_bytes = frame_bytes,
          .frames_per_message = no_limit,
          .acknowledgment_bytes = 10,
          .frames_at_first_link = 2};
}

std::vector<double> tcp_arrivals_s(const Routes& routes, const TcpOptions& options,
                                   const std::vector<Sending>& sendings) {
  TcpNetwork network(routes, options);
  return send_all(network, sendings, 1e6).times_s;
}

struct Cable {
  double bandwidth_Bps;
  double latency_s;
};

/// Workers 0 and 1 at the ends of a chain of cables.
HandMadeRoutes chain(const std::vector<Cable>& cables) {
  HandMadeRoutes routes(2);
  std::vector<LinkIndex> there;
  std::vector<LinkIndex> back;
  for (std::size_t i = 0; i < cables.size(); ++i) {
    const int near = i == 0 ? 0 : static_cast<int>(i) + 1;
    const int far = i + 1 == cables.size() ? 1 : static_cast<int>(i) + 2;
    there.push_back(routes.add_link(near, far, cables[i].bandwidth_Bps, cables[i].latency_s));
    back.insert(back.begin(), routes.add_link(far, near, cables[i].bandwidth_Bps, cables[i].latency_s));
  }
  routes.add_route(0, 1, there);
  routes.add_route(1, 0, back);
  return routes;
}

/// The times in seconds at which the sender's buffer holds what is left of each message; −1 if that is not
/// before its arrival.
std::vector<double> buffered_left_s(const Routes& routes, const std::vector<Sending>& sendings,
                                    double buffered_bytes) {
  TcpNetwork network(routes, with_window_of(100));
  std::vector<double> left_s;
  for (const NotedTransfer& message : send_buffered(network, sendings, buffered_bytes, 1e6)) {
    CHECK(message.arrived_s > 0);
    left_s.push_back(message.left_s);
  }
  return left_s;
}

/// When the frame of that number, from 1, is acknowledged, if worker 0 sends frames to worker 1 without a
/// pause from 0 s on, on a star with latencies of 0.5 s per link.
double acknowledged_s(int frame) { return frame * frame_s + 1 + acknowledgment_s + 1; }

TEST_CASE("tcp: a send ends when all but what the buffer holds has been acknowledged") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, usual_Bps, 0.5);
  const auto left_s = [&](double bytes, double buffered_bytes) {
    return buffered_left_s(routes, {{0, 0, 1, bytes}}, buffered_bytes)[0];
  };
  CHECK(left_s(4000, 1999) == about(acknowledged_s(21)));
  CHECK(left_s(4000, 2000) == about(acknowledged_s(20)));
  CHECK(left_s(4000, 3999) == about(acknowledged_s(1)));
  CHECK(left_s(4000, 4000) == 0);
}

TEST_CASE("tcp: the buffer of a connection holds the unacknowledged bytes of all its messages") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, usual_Bps, 0.5);
  const std::vector<Sending> row = {{0, 0, 1, 4000}, {0, 0, 1, 1000}, {50, 0, 1, 1500}, {50, 0, 1, 1000}};
  const std::vector<double> left_s = buffered_left_s(routes, row, 2000);
  CHECK(left_s[0] == about(acknowledged_s(20)));
  CHECK(left_s[1] == about(acknowledged_s(30)));
  CHECK(left_s[2] == 50);  // all earlier bytes have been acknowledged by then
  CHECK(left_s[3] == about(50 + acknowledged_s(5)));
}

TEST_CASE("tcp: without a buffer a send ends when its message has arrived, not when it is acknowledged") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, usual_Bps, 0.5);
  CHECK(buffered_left_s(routes, {{0, 0, 1, 1000}, {0, 0, 1, 500}, {20, 0, 1, 100}}, 0) ==
        std::vector<double>{-1, -1, -1});
}

TEST_CASE(
    "tcp: acknowledgments take the bandwidth and latency of the way back, whatever those of the way there") {
  HandMadeRoutes routes(2);
  routes.add_route(0, 1, {routes.add_link(0, 1, 1e3, 1)});
  routes.add_route(1, 0, {routes.add_link(1, 0, 1e5, 0.25)});
  // With a window of one frame each of the four frames but the last is acknowledged before the next one
  // leaves.
  CHECK(tcp_arrivals_s(routes, with_window_of(1), {{0, 0, 1, 400}})[0] ==
        about(3 * (0.1 + 1 + 10 / 1e5 + 0.25) + 0.1 + 1));
}

TEST_CASE("tcp: alone, a message takes the latencies of its route and its bytes at the least bandwidth") {
  const Cable fast{8e3, 0.5};
  const Cable medium{2e3, 0.125};
  const Cable slow{1e3, 0.25};
  // 19 frames are more than what 1 kB/s sends in a round trip of 1.75 s, a frame and its acknowledgment.
  TcpOptions options = with_window_of(19);
  for (const std::vector<Cable>& cables :
       {std::vector{fast, medium, slow}, {slow, medium, fast}, {medium, slow, fast}, {fast, slow, medium}}) {
    const HandMadeRoutes routes = chain(cables);
    for (const double bytes : {0.0, 1.0, 99.0, 100.0, 101.0, 1900.0, 12'345.0}) {
      for (const int frames : {1, 2, 5}) {
        CAPTURE(cables.front().bandwidth_Bps);
        CAPTURE(bytes);
        CAPTURE(frames);
        options.frames_at_first_link = frames;
        CHECK(tcp_arrivals_s(routes, options, {{1, 0, 1, bytes}})[0] ==
              about(1 + 0.875 + bytes / 1e3, rounding_of_sums));
      }
    }
  }
}

TEST_CASE(
    "tcp: a connection sends a window of whole frames per round trip, if that is less than its bandwidth") {
  const double latency_s = 1;
  const double round_trip_s = frame_s + 2 * latency_s + acknowledgment_s;
  const HandMadeRoutes routes = chain({{usual_Bps, latency_s}});
  for (const int window : {1, 2, 20, 21}) {
    CAPTURE(window);
    for (const double more_bytes : {0.0, 50.0, 99.0}) {
      TcpOptions options = with_window_of(window);
      options.window_bytes += more_bytes;
      // The last of five windows leaves four round trips after the first one.
      CHECK(tcp_arrivals_s(routes, options, {{0, 0, 1, 5 * window * frame_bytes}})[0] ==
            about(4 * round_trip_s + window * frame_s + latency_s, rounding_of_sums));
    }
  }
  // 22 frames take longer than the round trip of 2.11 s.
  CHECK(tcp_arrivals_s(routes, with_window_of(22), {{0, 0, 1, 11e3}})[0] ==
        about(11 + latency_s, rounding_of_sums));
}

TEST_CASE("tcp: frames are no larger than the window, so that a connection passes one per round trip") {
  TcpOptions options = with_window_of(1);
  options.window_bytes = 25;
  const double round_trip_s = 0.025 + 2 * 1 + acknowledgment_s;
  CHECK(tcp_arrivals_s(chain({{usual_Bps, 1}}), options, {{0, 0, 1, 300}})[0] ==
        about(11 * round_trip_s + 0.025 + 1, rounding_of_sums));
}

TEST_CASE("tcp: rounding errors in a window that is free again do not stop a frame as large as the window") {
  std::vector<Sending> sendings;
  for (const double bytes : {36.0, 9.3, 1.1, 47.0, 19.0, 33.0, 100.0}) sendings.push_back({0, 0, 1, bytes});
  // The sizes before the last frame sum to 145.4 bytes: they take two windows and so two round trips of more
  // than 2 s, before the last frame takes 0.1 s and its latency of 1 s.
  const double end_s = tcp_arrivals_s(chain({{usual_Bps, 1}}), with_window_of(1), sendings).back();
  CHECK(end_s >= 2 * 2 + frame_s + 1);
}

TEST_CASE("tcp: equal flows into one port share it frame by frame") {
  for (const int flows : {1, 2, 3, 8}) {
    const HandMadeRoutes routes = HandMadeRoutes::star(flows + 1, usual_Bps, 0.5);
    std::vector<Sending> sendings;
    for (int i = 0; i < flows; ++i) sendings.push_back({0, i, flows, 10e3});
    const std::vector<double> ends_s = tcp_arrivals_s(routes, with_window_of(22), sendings);
    CAPTURE(flows);
    // The port is never idle, and passes one last frame of each at the end.
    const double last_s = 1 + flows * 10.0;
    CHECK(std::ranges::max(ends_s) == about(last_s, rounding_of_sums));
    CHECK(std::ranges::min(ends_s) == about(last_s - (flows - 1) * frame_s, rounding_of_sums));
  }
}

TEST_CASE("tcp: a flow that comes later gets its share at once, but for what is queued") {
  // From 20 s on both share 1 kB/s. The first has 10 of its 30 kB left, of which up to a window is already
  // queued: its end may differ by the time that a window takes from 20 s later, when a fluid would end.
  const HandMadeRoutes routes = HandMadeRoutes::star(3, usual_Bps, 0.5);
  const TcpOptions options = with_window_of(22);
  const std::vector<double> ends_s = tcp_arrivals_s(routes, options, {{0, 0, 2, 30e3}, {20, 1, 2, 30e3}});
  CHECK(std::abs(ends_s[0] - (1 + 40)) <= options.window_bytes / usual_Bps);
  CHECK(ends_s[1] == about(1 + 60, rounding_of_sums));
}

TEST_CASE("tcp: a message waits for no more than a few frames of each other connection of its host") {
  const HandMadeRoutes routes = HandMadeRoutes::star(6, usual_Bps, 0.5);
  for (const int frames : {1, 2, 8}) {
    for (const int connections : {1, 3}) {
      TcpOptions options = with_window_of(100);
      options.frames_at_first_link = frames;
      std::vector<Sending> sendings;
      for (int i = 1; i <= connections; ++i) sendings.push_back({0, 0, i, 10e3});
      // In the middle of a frame, when as many frames of the others wait at the first link as may.
      const double sent_s = 10.5 * frame_s;
      sendings.push_back({sent_s, 0, 5, 10});
      const double wait_s = (connections * frames - 0.5) * frame_s;
      CAPTURE(frames);
      CAPTURE(connections);
      CHECK(tcp_arrivals_s(routes, options, sendings).back() ==
            about(sent_s + wait_s + 0.01 + 1, rounding_of_sums));
    }
  }
}

TEST_CASE("tcp: a message waits for no more than a window of each flow through a congested port") {
  constexpr int flows = 3;
  constexpr int window = 22;
  const HandMadeRoutes routes = HandMadeRoutes::star(flows + 2, usual_Bps, 0.5);
  std::vector<Sending> sendings;
  for (int i = 0; i < flows; ++i) sendings.push_back({0, i, flows, 100e3});
  sendings.push_back({30, flows + 1, flows, 10});
  const double wait_s = tcp_arrivals_s(routes, with_window_of(window), sendings).back() - (30 + 1 + 0.01);
  // The port is never idle, so a frame comes back acknowledged after the time in which all windows pass. What
  // the frame waits is that time without latencies and transmission. One frame more or less may be there.
  const double frames_wait_s = flows * window * frame_s - (2 * 1 + frame_s + acknowledgment_s);
  CHECK(std::abs(wait_s - frames_wait_s) <= frame_s * (1 + rounding_of_sums));
}

TEST_CASE("tcp: a message waits for all earlier messages of its connection") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, usual_Bps, 0.5);
  const std::vector<double> ends_s = tcp_arrivals_s(
      routes, with_window_of(22), {{0, 0, 1, 10e3}, {1, 0, 1, 10}, {2, 0, 1, 0}, {11, 0, 1, 10}});
  CHECK(ends_s[0] == about(10 + 1, rounding_of_sums));
  CHECK(ends_s[1] == about(10.01 + 1, rounding_of_sums));
  CHECK(ends_s[2] == about(10.01 + 1, rounding_of_sums));
  CHECK(ends_s[3] == about(11.01 + 1, rounding_of_sums));
}

TEST_CASE("tcp: flows in opposite directions are slowed by the acknowledgments of each other") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, usual_Bps, 0.05);
  const auto ends_s = [&](double bytes) {
    return tcp_arrivals_s(routes, with_window_of(22), {{0, 0, 1, bytes}, {0, 1, 0, bytes}});
  };
  const std::vector<double> short_s = ends_s(50e3);
  const std::vector<double> long_s = ends_s(100e3);
  // In the longer run each link passes 50 kB of data and 500 acknowledgments of 10 bytes more, which take 55
  // s. The last acknowledgment may or may not delay the end.
  for (const std::size_t i : {0U, 1U}) CHECK(std::abs(long_s[i] - short_s[i] - 55) <= acknowledgment_s);
}

/// How many seconds 10 kB more take from worker 0 to worker 1, while worker 1 sends to `flows` other workers.
double slowed_by_way_back_s(int flows, const TcpOptions& options) {
  const HandMadeRoutes routes = HandMadeRoutes::star(flows + 2, usual_Bps, 0.025);
  const auto end_s = [&](double bytes) {
    std::vector<Sending> sendings = {{0, 0, 1, bytes}};
    for (int i = 0; i < flows; ++i) sendings.push_back({0, 1, 2 + i, 1e6});
    return tcp_arrivals_s(routes, options, sendings)[0];
  };
  return end_s(20e3) - end_s(10e3);
}

TEST_CASE("tcp: a flow whose acknowledgments wait behind the data of others is no faster than these") {
  // Acknowledgments and data wait in one queue, so that a round trip takes as long for all flows and each
  // sends a window per round trip: for each 100 bytes of the first flow, worker 1's link carries 100 bytes of
  // every other flow and 10 bytes of acknowledgment.
  for (const int flows : {2, 4, 8}) {
    TcpOptions options = with_window_of(4);
    options.frames_at_first_link = no_limit;
    CAPTURE(flows);
    CHECK(slowed_by_way_back_s(flows, options) == about(10e3 * (flows + 0.1) / usual_Bps, rounding_of_sums));
  }
}

TEST_CASE("tcp: few frames at the first link keep the way free for acknowledgments") {
  // Of 8 flows 16 frames wait, for 1.6 s, and the window covers 2.2 s, so that the first flow need not wait
  // for acknowledgments. Those for the other flows take a tenth of what its data take: 11 s instead of 10.
  CHECK(slowed_by_way_back_s(8, with_window_of(22)) == about(11, rounding_of_sums));
}

TEST_CASE("tcp: a message that would have too many frames has larger ones, up to a quarter of the window") {
  // A message that comes while 8 kB pass the port of worker 2 is served after the frame in service: the
  // larger the frames, the later.
  const HandMadeRoutes routes = HandMadeRoutes::star(4, usual_Bps, 0);
  const auto second_end_s = [&](int frames_per_message, double window_bytes) {
    TcpOptions options = with_window_of(0);
    options.window_bytes = window_bytes;
    options.frames_per_message = frames_per_message;
    options.frames_at_first_link = 1;
    return tcp_arrivals_s(routes, options, {{0, 0, 2, 8000}, {1.65, 1, 2, 100}}).at(1);
  };
  CHECK(second_end_s(no_limit, 100e3) == about(1.7 + frame_s, rounding_of_sums));
  CHECK(second_end_s(10, 100e3) == about(3 * 0.8 + frame_s, rounding_of_sums));  // frames of 8000/10 bytes
  CHECK(second_end_s(10, 1600) == about(5 * 0.4 + frame_s, rounding_of_sums));   // of a quarter of the window
}

TEST_CASE("tcp: idle connections are forgotten, and no arrival depends on it") {
  // Each of the 40 · 39 = 1,560 pairs sends a message, twice: more pairs than the 1,024 connections that are
  // kept before idle ones are looked for.
  const int workers = 40;
  constexpr std::size_t most_kept = 1024;
  const HandMadeRoutes routes = HandMadeRoutes::star(workers, usual_Bps, 0.25);
  const double alone_s = 0.5 + 250 / usual_Bps;
  std::vector<Sending> sendings;
  for (int turn = 0; turn < 2; ++turn)
    for (Rank source = 0; source < workers; ++source)
      for (Rank destination = 0; destination < workers; ++destination)
        if (source != destination)
          sendings.push_back({2.0 * static_cast<double>(sendings.size()), source, destination, 250});
  TcpNetwork tcp(routes, with_window_of(100));
  const std::vector<double> ends_s = send_all(tcp, sendings, 1e6).times_s;
  CHECK(tcp.connections() <= most_kept);
  for (std::size_t i = 0; i < sendings.size(); ++i)
    REQUIRE(ends_s[i] == about(sendings[i].at_s + alone_s, rounding_of_sums));
}

/// The same links as `routes`, with all workers on one host.
class OneHost : public HandMadeRoutes {
 public:
  explicit OneHost(const HandMadeRoutes& routes) : HandMadeRoutes(routes) {}
  int hosts() const override { return 1; }
  int host_of(Rank) const override { return 0; }
};

TEST_CASE("tcp: messages between workers of one host take the same time as in the event model") {
  const OneHost routes(HandMadeRoutes::star(5, usual_Bps, 0.25));
  std::vector<Sending> sendings;
  for (int i = 0; i < 40; ++i)
    sendings.push_back({0.7 * (i % 7), i % 5, (i + 1 + i / 5 % 4) % 5, 1600.0 + 300 * (i % 11)});
  EventNetwork event(routes);
  CHECK(tcp_arrivals_s(routes, with_window_of(1), sendings) == send_all(event, sendings, 1e6).times_s);
}

TEST_CASE("tcp: inside a host, a message that has arrived leaves its place in the buffer to the next one") {
  const OneHost routes(HandMadeRoutes::star(2, usual_Bps, 0.5));
  const std::vector<double> left_s =
      buffered_left_s(routes, {{0, 0, 1, 1000}, {20, 0, 1, 1000}, {40, 0, 1, 1600}, {60, 0, 1, 1000}}, 1500);
  CHECK(left_s == std::vector<double>{0, 20, -1, 60});
  // A message that waits for room has it when the first has arrived, at 2 s.
  CHECK(buffered_left_s(routes, {{0, 0, 1, 1000}, {0, 0, 1, 1000}}, 1500) == std::vector<double>{0, 2});
}

TEST_CASE("tcp: a network that is attached anew starts idle, whatever was under way") {
  const HandMadeRoutes routes = HandMadeRoutes::star(3, usual_Bps, 0.5);
  const std::vector<Sending> sendings = {{0, 0, 2, 10e3}, {0, 1, 2, 10e3}, {1, 2, 0, 5e3}};
  TcpNetwork network(routes, with_window_of(22));
  const double too_early_s = 5;
  CHECK(send_all(network, sendings, too_early_s).order.empty());
  CHECK(send_all(network, sendings, 1e6).times_s == tcp_arrivals_s(routes, with_window_of(22), sendings));
}

using Bytes = unsigned char;

TEST_CASE("tcp: all messages arrive in order, none before it could alone, and none faster than its port") {
  CHECK(rc::check([](const std::vector<std::tuple<Bytes, Bytes, Bytes, Bytes>>& random, Bytes window,
                     Bytes acknowledgment, Bytes frames) {
    const HandMadeRoutes routes = HandMadeRoutes::star(5, usual_Bps, 0.25);
    const TcpOptions options = {.window_bytes = 1.0 + 20 * window,
                                .frame_bytes = frame_bytes,
                                .acknowledgment_bytes = static_cast<double>(acknowledgment),
                                .frames_at_first_link = 1 + frames % 4};
    std::vector<Sending> sendings;
    for (const auto& [at, source, shift, bytes] : random)
      sendings.push_back({at / 16.0, source % 5, (source + 1 + shift % 4) % 5, bytes * 10.0});
    std::ranges::stable_sort(sendings, {}, &Sending::at_s);
    TcpNetwork network(routes, options);
    const Arrivals arrivals = send_all(network, sendings, 1e6);

    RC_ASSERT(arrivals.order.size() == sendings.size());
    std::vector<std::vector<double>> latest_s(5, std::vector<double>(5, 0));
    for (std::size_t i = 0; i < sendings.size(); ++i) {
      const Sending& sending = sendings[i];
      const double alone_s = sending.at_s + 0.5 + sending.bytes / usual_Bps;
      RC_ASSERT(arrivals.times_s[i] >= alone_s * (1 - rounding_of_sums));
      double& before_s =
          latest_s[static_cast<std::size_t>(sending.source)][static_cast<std::size_t>(sending.destination)];
      RC_ASSERT(arrivals.times_s[i] >= before_s * (1 - rounding_of_sums));
      before_s = arrivals.times_s[i];
    }
    for (Rank port = 0; port < 5; ++port) {
      double bytes = 0;
      double first_s = 1e9;
      double last_s = 0;
      for (std::size_t i = 0; i < sendings.size(); ++i) {
        if (sendings[i].destination != port) continue;
        bytes += sendings[i].bytes;
        first_s = std::min(first_s, sendings[i].at_s + 0.5);
        last_s = std::max(last_s, arrivals.times_s[i]);
      }
      if (bytes > 0) RC_ASSERT(last_s >= (first_s + bytes / usual_Bps) * (1 - rounding_of_sums));
    }
  }));
}

/// Workers 0 … n−1 left of a trunk, n … 2n−1 right of it.
HandMadeRoutes two_switches(int pairs, double trunk_Bps) {
  HandMadeRoutes routes(2 * pairs);
  const int left = 2 * pairs;
  const int right = left + 1;
  const LinkIndex there = routes.add_link(left, right, trunk_Bps, 0.25);
  const LinkIndex back = routes.add_link(right, left, trunk_Bps, 0.25);
  std::vector<LinkIndex> up;
  std::vector<LinkIndex> down;
  for (int i = 0; i < 2 * pairs; ++i) {
    up.push_back(routes.add_link(i, i < pairs ? left : right, usual_Bps, 0.25));
    down.push_back(routes.add_link(i < pairs ? left : right, i, usual_Bps, 0.25));
  }
  for (std::size_t i = 0; i < up.size() / 2; ++i)
    for (std::size_t j = up.size() / 2; j < up.size(); ++j) {
      routes.add_route(static_cast<Rank>(i), static_cast<Rank>(j), {up[i], there, down[j]});
      routes.add_route(static_cast<Rank>(j), static_cast<Rank>(i), {up[j], back, down[i]});
    }
  return routes;
}

/// Compares arrivals with SimGrid's. Flows take turns frame by frame, while a fluid passes all at once:
/// arrivals may differ by a frame of each flow.
void check_like_fair_sharing(const Routes& routes, const std::vector<Sending>& sendings) {
  SimGridNetwork fair(routes);
  const std::vector<double> fair_s = send_all(fair, sendings, 1e6).times_s;
  const std::vector<double> ends_s = tcp_arrivals_s(routes, with_window_of(22), sendings);
  const auto flows = static_cast<double>(sendings.size());
  for (std::size_t i = 0; i < ends_s.size(); ++i) {
    CAPTURE(i);
    CHECK(std::abs(ends_s[i] - fair_s[i]) <= flows * frame_s * (1 + rounding_of_sums));
  }
}

TEST_CASE("tcp: long flows that start together share a port as SimGrid's fair flows do") {
  check_like_fair_sharing(
      HandMadeRoutes::star(7, usual_Bps, 0.5),
      {{0, 0, 5, 40e3}, {0, 1, 5, 10e3}, {0, 2, 5, 80e3}, {0, 3, 5, 20e3}, {0, 4, 6, 30e3}});
}

TEST_CASE("tcp: long flows that start together share a trunk as SimGrid's fair flows do") {
  check_like_fair_sharing(two_switches(4, 2 * usual_Bps),
                          {{0, 0, 4, 40e3}, {0, 1, 5, 10e3}, {0, 2, 6, 80e3}, {0, 3, 7, 20e3}});
}

}  // namespace
}  // namespace starling
