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

TEST_CASE("periods of a link watch become longer until the run fits, and no bytes are lost") {
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
  watch.carry(1, -3, 2, 5);  // takes back 3 bytes that were planned from 2 to 5 s
  CHECK(watch.carried(1)[0] == 2);
  CHECK(sum(watch.carried(1)) == 2);
}

TEST_CASE(
    "bytes carried in a period that was looked up before are added to it, also once periods are longer") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e6, 0);
  LinkWatch watch(routes.links(), 4);
  watch.reach(4);
  for (int twice = 0; twice < 2; ++twice) watch.carry(0, 3, 2.25, 2.75);
  CHECK(watch.carried(0) == std::vector<double>{0, 0, 6, 0});
  watch.reach(8);
  watch.carry(0, 1, 2.25, 2.75);
  CHECK(watch.carried(0) == std::vector<double>{0, 7, 0, 0});
}

TEST_CASE("periods of a link watch may begin at given moments") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e6, 0);
  LinkWatch watch(routes.links(), {0, 1, 1.5, 4});
  watch.reach(100);
  watch.carry(0, 5, 0.5, 5.5);
  CHECK(watch.carried(0) == std::vector<double>{0.5, 0.5, 2.5, 1.5});
  watch.carry(1, 2, 1, 1.25);
  watch.carry(1, 3, 4, 9);
  watch.carry(1, 4, 1, 1.5);  // until the end of a period, all of it within that period
  CHECK(watch.carried(1) == std::vector<double>{0, 6, 0, 3});
  CHECK(watch.when(1.5, 1.5).first == 2);
  CHECK(watch.end_s(1) == 1.5);
}

TEST_CASE("a link whose rates are set carries the integral of these rates") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e6, 0);
  LinkWatch watch(routes.links());
  watch.set_rate(0, 10, 1);
  watch.set_rate(0, 99, 3);  // at one moment, the last one counts
  watch.set_rate(0, 5, 3);
  watch.set_rate(77, 5, 3);  // no link of the network
  watch.end_run(5);
  CHECK(sum(watch.carried(0)) == nearly(2 * 10 + 2 * 5));
}

/// Checks that random messages arrive under a watch as without one, and what their links are noted to carry.
/// `does_model_report` says whether the model tells the watch what links carry over time.
template <typename Model, typename... Options>
void check_random_messages(bool does_model_report, const Options&... options) {
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
    CHECK(watched.does_model_report() == does_model_report);
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
      if (!does_model_report) continue;
      CHECK(sum(watch.carried(link)) == nearly(use.bytes()));
      for (const double carried : watch.carried(link)) {
        CHECK(carried >= -rounding_of_sums * use.bytes());  // no more is taken back than was noted before
        // Fair sharing may overload a link by ε.
        CHECK(carried <= 1e6 * watch.period_s() * (1 + FairOptions{}.epsilon + rounding_of_sums));
      }
    }
    CHECK(of_links == nearly(2 * bytes));  // every message crosses two links
  }
}

TEST_CASE("watched links carry all bytes, none above its bandwidth, and messages arrive as without a watch") {
  SUBCASE("event") { check_random_messages<EventNetwork>(true); }
  SUBCASE("fair") { check_random_messages<FairNetwork>(true); }
  SUBCASE("fair, filled anew at each change") {
    check_random_messages<FairNetwork>(true, FairOptions{.patience = 0});
  }
  SUBCASE("simgrid") { check_random_messages<SimGridNetwork>(false); }
}

TEST_CASE("links carry acknowledgments as well as data under tcp") {
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

TEST_CASE("under fair links carry a first window at link speed and the rest at one window per round trip") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e6, 0.1);
  FairNetwork model(routes, {.window_bytes = 1e5, .frame_bytes = 1});
  LinkWatch watch(routes.links());
  WatchedNetwork watched(model, routes, &watch, nullptr);
  // The first window of 100 kB takes 0.1 s at 1 MB/s. The rest flows at a window per round trip, which takes
  // 0.4 s of latency and a frame of 1 byte.
  constexpr double round_trip_s = 0.4 + 1e-6;
  const Arrivals arrivals = send_all(watched, {{0, 0, 1, 3e5}}, watch_patience_s);
  CHECK(arrivals.times_s[0] == nearly(0.1 + 2 * round_trip_s + 0.2));
  CHECK(sum(watch.carried(0)) == nearly(3e5));
  const auto later = static_cast<std::size_t>(0.5 / watch.period_s());
  CHECK(watch.carried(0)[0] == nearly(round_trip_s / 0.1 * watch.carried(0)[later]));
}

TEST_CASE("under fair links carry first windows, later windows and messages after a pause while these flow") {
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

TEST_CASE("bytes are counted by the activity of the worker that sends them") {
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

TEST_CASE("a message that arrives at the moment at which another is sent is not under way together with it") {
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

TEST_CASE("with an infinite send buffer no sender is told that its message has left") {
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

/// A message that notes only whether it has arrived.
struct Unordered final : Transfer {
  void arrived() override { has_arrived = true; }
  bool has_arrived = false;
};

TEST_CASE("unordered messages are counted once, and are no longer under way when they have arrived") {
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
