#include "sim/networks/link_watch.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <limits>
#include <numeric>
#include <random>

#include "hand_made_routes.hpp"
#include "sim/networks/event/event_network.hpp"
#include "sim/networks/fair/fair_network.hpp"
#include "sim/networks/simgrid/simgrid_network.hpp"
#include "sim/networks/tcp/tcp_network.hpp"
#include "sim/networks/watched_network.hpp"
#include "tests/rounding.hpp"
#include "transfers.hpp"

namespace starling {
namespace {

constexpr double watch_patience_s = 1000;

doctest::Approx nearly(double value) { return about(value, rounding_of_sums); }

double sum(std::span<const double> values) { return std::accumulate(values.begin(), values.end(), 0.0); }

TEST_CASE("periods become longer until the run fits, and nothing is lost") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e6, 0);
  LinkWatch watch(routes.links(), 4);
  watch.carry(0, 3, 0, 3);
  CHECK(watch.period_s() == 1);
  CHECK(watch.carried(0)[0] == 1);
  CHECK(watch.carried(0)[2] == 1);
  CHECK(watch.carried(0)[3] == 0);
  watch.carry(1, 5, 0, 5);
  CHECK(watch.period_s() == 2);
  CHECK(watch.carried(0)[0] == 2);
  CHECK(watch.carried(0)[1] == 1);
  CHECK(watch.carried(1)[2] == 1);
  watch.carry(1, -3, 2, 5);  // does not after all
  CHECK(watch.carried(1)[0] == 2);
  CHECK(sum(watch.carried(1)) == 2);
}

TEST_CASE("what links carry in a period that was looked for before is in that period, also in longer ones") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e6, 0);
  LinkWatch watch(routes.links(), 4);
  watch.reach(4);
  for (int twice = 0; twice < 2; ++twice) watch.carry(0, 3, 2.25, 2.75);
  CHECK(watch.carried(0) == std::vector<double>{0, 0, 6, 0});
  watch.reach(8);
  watch.carry(0, 1, 2.25, 2.75);
  CHECK(watch.carried(0) == std::vector<double>{0, 7, 0, 0});
}

TEST_CASE("periods may begin at given moments") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e6, 0);
  LinkWatch watch(routes.links(), {0, 1, 1.5, 4});
  watch.reach(100);
  watch.carry(0, 5, 0.5, 5.5);
  CHECK(watch.carried(0) == std::vector<double>{0.5, 0.5, 2.5, 1.5});
  watch.carry(1, 2, 1, 1.25);
  watch.carry(1, 3, 4, 9);
  watch.carry(1, 4, 1, 1.5);  // until a moment, not beyond
  CHECK(watch.carried(1) == std::vector<double>{0, 6, 0, 3});
  CHECK(watch.when(1.5, 1.5).first == 2);
  CHECK(watch.end_s(1) == 1.5);
}

TEST_CASE("a link that is told rates carries what they come to") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e6, 0);
  LinkWatch watch(routes.links());
  watch.set_rate(0, 10, 1);
  watch.set_rate(0, 99, 3);  // at one moment, the last one counts
  watch.set_rate(0, 5, 3);
  watch.set_rate(77, 5, 3);  // no link of the network
  watch.end_run(5);
  CHECK(sum(watch.carried(0)) == nearly(2 * 10 + 2 * 5));
}

/// What a model does with random messages, while it is watched.
template <typename Model, typename... Options>
void check_random_messages(bool tells, const Options&... options) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 20; ++trial) {
    constexpr unsigned workers = 4;
    const HandMadeRoutes routes = HandMadeRoutes::star(static_cast<int>(workers), 1e6, 1e-3);
    std::vector<Sending> sendings;
    double bytes = 0;
    for (int i = 0; i < 40; ++i) {
      const auto source = random() % workers;
      const auto destination = (source + 1 + random() % (workers - 1)) % workers;
      sendings.push_back({1e-3 * static_cast<double>(random() % 200), static_cast<Rank>(source),
                          static_cast<Rank>(destination), 1e4 + static_cast<double>(random() % 100'000)});
      bytes += sendings.back().bytes;
    }
    Model alone(routes, options...);
    const Arrivals expected = send_all(alone, sendings, watch_patience_s);
    Model model(routes, options...);
    LinkWatch watch(routes.links());
    WatchedNetwork watched(model, routes, &watch, nullptr);
    CHECK(watched.tells() == tells);
    const Arrivals arrivals = send_all(watched, sendings, watch_patience_s);
    CHECK(arrivals.times_s == expected.times_s);
    CHECK(arrivals.order == expected.order);
    watch.end_run(watch_patience_s);

    double of_links = 0;
    for (LinkIndex link = 0; link < static_cast<LinkIndex>(2 * workers); ++link) {
      const LinkWatch::Use& use = watch.use(link);
      of_links += use.bytes();
      CHECK(use.bytes_under_way == 0);  // sums of whole numbers
      CHECK(use.most_bytes_under_way <= use.bytes());
      if (!tells) continue;
      CHECK(sum(watch.carried(link)) == nearly(use.bytes()));
      for (const double carried : watch.carried(link)) {
        CHECK(carried >= -rounding_of_sums * use.bytes());  // what is taken back was said before
        // Fair sharing may overload a link by ε.
        CHECK(carried <= 1e6 * watch.period_s() * (1 + FairOptions{}.epsilon + rounding_of_sums));
      }
    }
    CHECK(of_links == nearly(2 * bytes));  // every message crosses two links
  }
}

TEST_CASE("links carry all bytes of all messages, none faster than it can, and nothing arrives differently") {
  SUBCASE("event") { check_random_messages<EventNetwork>(true); }
  SUBCASE("fair") { check_random_messages<FairNetwork>(true); }
  SUBCASE("fair, filled anew at each change") {
    check_random_messages<FairNetwork>(true, FairOptions{.patience = 0});
  }
  SUBCASE("simgrid") { check_random_messages<SimGridNetwork>(false); }
}

TEST_CASE("acknowledgments take their part of the links under tcp") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e6, 1e-3);
  TcpNetwork model(
      routes,
      {.window_bytes = 1e6, .frame_bytes = 1000, .frames_per_message = 1000, .acknowledgment_bytes = 50});
  LinkWatch watch(routes.links());
  WatchedNetwork watched(model, routes, &watch, nullptr);
  send_all(watched, {{0, 0, 1, 1e5}}, watch_patience_s);
  CHECK(sum(watch.carried(0)) == nearly(1e5));       // 0 to the switch
  CHECK(sum(watch.carried(1)) == nearly(100 * 50));  // 1 to the switch
  CHECK(watch.use(1).bytes() == 0);
}

TEST_CASE("fair windows are carried at two rates") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e6, 0.1);
  FairNetwork model(routes, {.window_bytes = 1e5, .frame_bytes = 1});
  LinkWatch watch(routes.links());
  WatchedNetwork watched(model, routes, &watch, nullptr);
  // The first window takes 0.1 s, the rest flows by a window in each round trip of 0.4 s and a frame.
  constexpr double round_trip_s = 0.4 + 1e-6;
  const Arrivals arrivals = send_all(watched, {{0, 0, 1, 3e5}}, watch_patience_s);
  CHECK(arrivals.times_s[0] == nearly(0.1 + 2 * round_trip_s + 0.2));
  CHECK(sum(watch.carried(0)) == nearly(3e5));
  const auto later = static_cast<std::size_t>(0.5 / watch.period_s());
  CHECK(watch.carried(0)[0] == nearly(round_trip_s / 0.1 * watch.carried(0)[later]));
}

TEST_CASE("fair windows are carried when they flow: at first, in what follows, and after a pause") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e6, 0.1);
  FairNetwork model(routes, {.window_bytes = 1e5, .frame_bytes = 1});
  constexpr double first_end_s = 0.1 + 2 * (0.4 + 1e-6);
  LinkWatch watch(routes.links(), {0, 0.1, first_end_s, 5});
  WatchedNetwork watched(model, routes, &watch, nullptr);
  send_all(watched, {{0, 0, 1, 3e5}, {0.05, 0, 1, 1e5}, {10, 0, 1, 5e4}}, watch_patience_s);
  const std::vector<double> carried = watch.carried(0);
  CHECK(carried[0] == nearly(1e5));
  CHECK(carried[1] == nearly(2e5));
  CHECK(carried[2] == nearly(1e5));
  CHECK(carried[3] == nearly(5e4));
}

TEST_CASE("bytes are told apart by what their sender was at") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e6, 0);
  LinkWatch watch(routes.links());
  EventNetwork model(routes);
  WatchedNetwork watched(model, routes, &watch, nullptr);
  send_all(watched, {{0, 0, 1, 1e5}}, 1);
  CHECK(watch.use(0).bytes_while[static_cast<std::size_t>(Activity::waiting)] == 1e5);
  watch.workers().note(1, Activity::backward, 0);
  for (const LinkIndex link : routes.route(1, 0)) watch.begin(link, 7, watch.workers().activity(1), 1);
  CHECK(watch.use(1).bytes_while[static_cast<std::size_t>(Activity::backward)] == 7);
  CHECK(watch.use(1).bytes_under_way == 7);
  CHECK(watch.use(1).most_bytes_under_way == 7);
}

TEST_CASE("what arrives at the moment at which something is sent is not under way with it") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e6, 0);
  LinkWatch watch(routes.links());
  const auto most_bytes = [&] { return watch.use(0).most_bytes_under_way; };
  watch.begin(0, 5, Activity::waiting, 0);
  watch.begin(0, 7, Activity::waiting, 1);
  watch.end(0, 5, 1 + 1e-14);  // but for rounding
  CHECK(most_bytes() == 7);
  watch.end(0, 7, 2);
  watch.begin(0, 6, Activity::waiting, 2);
  CHECK(most_bytes() == 7);
  watch.begin(0, 2, Activity::waiting, 2.5);
  watch.end(0, 6, 3);
  CHECK(most_bytes() == 8);
}

TEST_CASE("sends through an endless buffer are not told of") {
  const HandMadeRoutes routes = HandMadeRoutes::star(3, 1e6, 1e-3);
  EventNetwork event(routes);
  FairNetwork fair(routes);
  TcpNetwork tcp(routes);
  for (NetworkModel* const model : std::initializer_list<NetworkModel*>{&event, &fair, &tcp})
    for (const NotedTransfer& message :
         send_buffered(*model, {{0, 0, 2, 1e5}, {0, 1, 2, 1e5}, {0, 0, 2, 100}},
                       std::numeric_limits<double>::infinity(), watch_patience_s)) {
      CHECK(message.arrived_s > 0);
      CHECK(message.left_s < 0);
    }
}

/// One of which only its arrival matters.
struct Unordered final : Transfer {
  void arrived() override { has_arrived = true; }
  bool has_arrived = false;
};

TEST_CASE("messages that keep no order are counted once, and are not under way any more at the end") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e6, 1e-3);
  for (const bool has_control_channel : {false, true}) {
    LinkWatch watch(routes.links());
    FairNetwork model(routes, {.has_control_channel = has_control_channel});
    WatchedNetwork watched(model, routes, &watch, nullptr);
    Scheduler scheduler;
    watched.attach(scheduler);
    Unordered message;
    message.destination = 1;
    message.bytes = 100;
    scheduler.spawn(0, "sender", [&] {
      watched.start_unordered(message);
      CHECK(watch.use(0).bytes_under_way == 100);
      scheduler.sleep_until(1, {});
    });
    scheduler.run();
    CHECK(message.has_arrived);
    CHECK(watch.use(0).bytes() == 100);
    CHECK(watch.use(0).bytes_under_way == 0);
  }
}

}  // namespace
}  // namespace starling
