#include <doctest/doctest.h>

#include <cstddef>
#include <deque>
#include <vector>

#include "fair_sending.hpp"
#include "sim/networks/fair/fair_network.hpp"
#include "sim/networks/link_watch.hpp"
#include "tests/rounding.hpp"
#include "tests/sim/networks/hand_made_routes.hpp"
#include "tests/sim/networks/transfers.hpp"

namespace starling {
namespace {

/// Workers 0 … n−1 reach workers n … 2n−1 over one shared link, the trunk.
HandMadeRoutes one_trunk(int pairs, double trunk_Bps) {
  HandMadeRoutes routes(2 * pairs);
  const LinkIndex trunk = routes.add_link(2 * pairs, 2 * pairs + 1, trunk_Bps, 0.5);
  for (Rank i = 0; i < pairs; ++i)
    for (Rank j = 0; j < pairs; ++j)
      routes.add_route(i, pairs + j, {routes.add_link(i, 2 * pairs, 1e3, 0.5), trunk});
  return routes;
}

/// With as many destinations there are 30 · 30 = 900 connections; the table is full with 512.
constexpr int sources_of_trunk = 30;

/// One message over each connection of the trunk, one every 3 s, which is how long each takes.
std::vector<Sending> over_all_connections() {
  std::vector<Sending> sendings;
  for (int i = 0; i < sources_of_trunk * sources_of_trunk; ++i)
    sendings.push_back({3.0 * i, i % sources_of_trunk, sources_of_trunk + i / sources_of_trunk, 2e3});
  return sendings;
}

TEST_CASE("fair: a forgotten connection leaves its links free, whichever connection reuses its memory") {
  HandMadeRoutes routes = one_trunk(sources_of_trunk, 1e3);
  routes.add_route(sources_of_trunk, sources_of_trunk + 1,
                   {routes.add_link(sources_of_trunk, sources_of_trunk + 1, 500, 0.5)});
  std::vector<Sending> sendings = over_all_connections();
  const std::size_t first_apart = sendings.size();
  // One connection beside the trunk, used before it is forgotten and after: 4 s at 500 B/s and a latency.
  for (const double at_s : {0.0, 3.0 * sources_of_trunk * sources_of_trunk})
    sendings.push_back({at_s, sources_of_trunk, sources_of_trunk + 1, 2e3});
  const std::vector<double> ends_s = arrivals_s(routes, sendings);
  for (std::size_t i = 0; i < ends_s.size(); ++i)
    CHECK(ends_s[i] == about(sendings[i].at_s + (i < first_apart ? 3 : 4.5)));
}

TEST_CASE("fair: a busy connection is not forgotten, however many other connections come and go") {
  HandMadeRoutes routes = one_trunk(sources_of_trunk, 1e3);
  const LinkIndex apart = routes.add_link(sources_of_trunk, sources_of_trunk + 1, 1e3, 0.5);
  for (Rank j = 1; j < sources_of_trunk; ++j)
    routes.add_route(sources_of_trunk, sources_of_trunk + j, {apart});
  std::vector<Sending> sendings = over_all_connections();
  sendings.push_back({0, sources_of_trunk, sources_of_trunk + 1, 2000e3});
  sendings.push_back({1600, sources_of_trunk, sources_of_trunk + 2, 2000e3});
  const std::vector<double> ends_s = arrivals_s(routes, sendings, exact);
  CHECK(ends_s[ends_s.size() - 2] == about(2400 + 0.5));  // 1.6 MB alone, 0.4 MB at half the bandwidth
  CHECK(ends_s.back() == about(4000 + 0.5));
}

/// A message after whose arrival its source sends a message of the same size to another worker.
struct SmallMessage final : Transfer {
  explicit SmallMessage(NetworkModel& through) : network(through) {}
  void arrived() override {
    if (next == nullptr) return;
    next->source = source;
    next->destination = (destination + 8) % 16;
    next->bytes = bytes;
    network.start(*next);
  }
  NetworkModel& network;
  SmallMessage* next = nullptr;
};

TEST_CASE("fair: a connection whose message is due at this moment is not forgotten") {
  const HandMadeRoutes routes = HandMadeRoutes::star(16, 1e3, 0.5);
  LinkWatch watch(routes.links());
  FairNetwork network(routes);
  network.report_to(watch);
  Scheduler scheduler;
  network.attach(scheduler);
  std::deque<SmallMessage> messages;
  // 15 · 7 = 105 connections at first, and 105 more one by one as messages arrive; the table is full with
  // 127.
  scheduler.spawn(0, "sender", [&] {
    for (Rank source = 0; source < 15; ++source)
      for (int distance = 1; distance <= 7; ++distance) {
        SmallMessage& second = messages.emplace_back(network);
        SmallMessage& first = messages.emplace_back(network);
        first.source = source;
        first.destination = (source + distance) % 16;
        first.bytes = 100;
        first.next = &second;
        network.start(first);
      }
    scheduler.sleep_until(patience_s);
  });
  scheduler.run();
  for (LinkIndex link = 0; link < 32; ++link) {
    CAPTURE(link);
    CHECK(watch.use(link).bytes_under_way == 0);
  }
}

}  // namespace
}  // namespace starling
