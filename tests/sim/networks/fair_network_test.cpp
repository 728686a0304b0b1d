#include "sim/networks/fair_network.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "hand_made_routes.hpp"
#include "max_min.hpp"
#include "sim/networks/event_network.hpp"
#include "sim/networks/simgrid_network.hpp"
#include "transfers.hpp"

namespace starling {
namespace {

constexpr double rounding = 1e-12;  // relative; a few additions of doubles
constexpr double patience_s = 1e9;

doctest::Approx about(double value) { return doctest::Approx(value).epsilon(rounding).scale(0); }

Arrivals send(const Routes& routes, const std::vector<Sending>& sendings, const FairOptions& options = {}) {
  FairNetwork network(routes, options);
  return send_all(network, sendings, patience_s);
}

std::vector<double> arrivals_s(const Routes& routes, const std::vector<Sending>& sendings,
                               const FairOptions& options = {}) {
  return send(routes, sendings, options).times_s;
}

/// As if exact, but that shares that differ by rounding are equal.
constexpr FairOptions exact = {.epsilon = 1e-9};

/// Routes of 1 to `most_hops` links anywhere in a network of links that differ up to ten times.
HandMadeRoutes random_routes(std::mt19937& random, int workers, int links, int most_hops) {
  HandMadeRoutes routes(workers);
  std::uniform_real_distribution<double> bandwidth_kBps(1, 10);
  std::vector<LinkIndex> all;
  for (int i = 0; i < links; ++i) all.push_back(routes.add_link(0, 0, 1e3 * bandwidth_kBps(random), 1e-3 * i));
  for (Rank source = 0; source < workers; ++source) {
    for (Rank destination = 0; destination < workers; ++destination) {
      if (source == destination) continue;
      std::ranges::shuffle(all, random);
      const auto hops = 1 + random() % static_cast<unsigned>(most_hops);
      routes.add_route(source, destination, {all.begin(), all.begin() + hops});
    }
  }
  return routes;
}

/// Rounds of messages that start at the same moment, single ones at any time, and chains on one connection.
std::vector<Sending> random_sendings(std::mt19937& random, int workers, int count) {
  std::uniform_real_distribution<double> any_s(0, 40);
  std::uniform_real_distribution<double> bytes(2e3, 1e5);
  std::vector<Sending> sendings;
  while (static_cast<int>(sendings.size()) < count) {
    const auto source = static_cast<Rank>(random() % static_cast<unsigned>(workers));
    const auto shift = 1 + static_cast<Rank>(random() % static_cast<unsigned>(workers - 1));
    const double at_s = random() % 2 == 0 ? any_s(random) : 8.0 * static_cast<double>(random() % 4);
    const auto chain = random() % 4 == 0 ? 3 : 1;
    for (int i = 0; i < chain; ++i)
      sendings.push_back({at_s, source, (source + shift) % workers, random() % 8 == 0 ? 0 : bytes(random)});
  }
  return sendings;
}

TEST_CASE("fair: alone, a message takes the latencies of its way and its bytes at the least bandwidth") {
  HandMadeRoutes routes(2);
  const LinkIndex fast = routes.add_link(0, 2, 8e3, 0.5);
  const LinkIndex slow = routes.add_link(2, 3, 1e3, 0.25);
  const LinkIndex medium = routes.add_link(3, 1, 2e3, 0.125);
  routes.add_route(0, 1, {fast, slow, medium});
  for (const double bytes : {0.0, 1.0, 1500.0, 1501.0, 12'345.0})
    CHECK(arrivals_s(routes, {{1, 0, 1, bytes}})[0] == about(1 + 0.875 + bytes / 1e3));
}

TEST_CASE("fair: messages of a connection flow one after the other, small ones too if it is busy") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e3, 0.5);
  const Arrivals arrivals = send(
      routes, {{0, 0, 1, 10e3}, {1, 0, 1, 10}, {2, 0, 1, 0}, {3, 0, 1, 5e3}, {16, 0, 1, 10}, {16, 0, 1, 0}});
  const std::vector<double> expected_s = {11, 11.01, 11.01, 16.01, 17.01, 17.01};
  for (std::size_t i = 0; i < expected_s.size(); ++i) CHECK(arrivals.times_s[i] == about(expected_s[i]));
  CHECK(arrivals.order == std::vector<std::size_t>{0, 1, 2, 3, 4, 5});
}

TEST_CASE("fair: a small message on an idle connection waits for nobody, and nobody for it") {
  const HandMadeRoutes routes = HandMadeRoutes::star(4, 1e3, 0.5);
  const std::vector<Sending> bulk = {{0, 0, 3, 10e3}, {0, 1, 3, 10e3}, {4, 1, 2, 5e3}};
  std::vector<Sending> with_small = bulk;
  with_small.push_back({1, 0, 2, 1500});
  with_small.push_back({1, 2, 3, 100});
  const std::vector<double> ends_s = arrivals_s(routes, with_small);
  CHECK(ends_s[3] == about(1 + 1.5 + 1));
  CHECK(ends_s[4] == about(1 + 0.1 + 1));
  CHECK(std::equal(bulk.begin(), bulk.end(), with_small.begin(),
                   [](const Sending& a, const Sending& b) { return a.bytes == b.bytes; }));
  CHECK(std::vector(ends_s.begin(), ends_s.begin() + 3) == arrivals_s(routes, bulk));
}

TEST_CASE("fair: with a control channel, small messages do not wait for their own connection either") {
  const HandMadeRoutes routes = HandMadeRoutes::star(3, 1e3, 0.5);
  const std::vector<Sending> sendings = {{0, 0, 1, 10e3}, {1, 0, 1, 10}, {2, 2, 1, 10e3}, {3, 0, 1, 10}};
  const std::vector<double> apart_s = arrivals_s(routes, sendings, {.has_control_channel = true});
  CHECK(apart_s[1] == about(1 + 1.01));
  CHECK(apart_s[3] == about(3 + 1.01));
  CHECK(arrivals_s(routes, sendings)[3] == about(apart_s[0] + 0.02 / 0.5));  // 20 bytes at half the link
}

TEST_CASE("fair: who is slowed by one link leaves what it cannot use of another to the others") {
  // Workers 0 and 1 send to 3, which gives each half; worker 1 also sends to 2, with the other half of its
  // own link, until worker 0 has sent 10 kB at 20 s.
  const HandMadeRoutes routes = HandMadeRoutes::star(4, 1e3, 0);
  const std::vector<double> ends_s =
      arrivals_s(routes, {{0, 0, 3, 10e3}, {0, 1, 3, 20e3}, {0, 1, 2, 15e3}}, exact);
  CHECK(ends_s[0] == about(20));
  CHECK(ends_s[2] == about(30));  // worker 1's link is shared by two all the time
  CHECK(ends_s[1] == about(35));  // the last 5 kB alone
}

TEST_CASE("fair: eight senders into one port end together, in the order they were sent") {
  const HandMadeRoutes routes = HandMadeRoutes::star(9, 12.5e9, 0.5e-6);
  std::vector<Sending> sendings;
  for (const int i : {3, 1, 7, 0, 5, 2, 6, 4}) sendings.push_back({0, i, 8, 10e6});
  const Arrivals arrivals = send(routes, sendings);
  for (const double end_s : arrivals.times_s) CHECK(end_s == about(6.4e-3 + 1e-6));
  CHECK(arrivals.order == std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("fair: with a small epsilon, all messages of random networks arrive when brute force says") {
  for (const double patience : {4.0, 0.0}) {  // 0: by progressive filling, as soon as some links changed
    for (unsigned seed = 0; seed < 60; ++seed) {
      std::mt19937 random(seed);
      const int most_hops = 1 + static_cast<int>(seed % 18);
      const HandMadeRoutes routes = random_routes(random, 6, 20, most_hops);
      const std::vector<Sending> sendings = random_sendings(random, 6, 80);
      const std::vector<double> expected_s = Fluid(routes, sendings).arrivals_s();
      const std::vector<double> ends_s =
          arrivals_s(routes, sendings, {.epsilon = 1e-9, .patience = patience});
      CAPTURE(seed);
      for (std::size_t i = 0; i < sendings.size(); ++i) {
        CAPTURE(i);
        // A share may be off by epsilon, and so may the time a message takes.
        CHECK(std::abs(ends_s[i] - expected_s[i]) <= 1e-9 * expected_s[i]);
      }
    }
  }
}

}  // namespace
}  // namespace starling
