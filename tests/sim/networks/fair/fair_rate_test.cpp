#include <doctest/doctest.h>

#include <cstddef>
#include <random>
#include <vector>

#include "fair_sending.hpp"
#include "sim/networks/fair/fair_network.hpp"
#include "tests/rounding.hpp"
#include "tests/sim/networks/hand_made_routes.hpp"
#include "tests/sim/networks/random_networks.hpp"
#include "tests/sim/networks/transfers.hpp"

namespace starling {
namespace {

TEST_CASE("fair: alone, a message flows at the rate of its connection if its links are faster") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e3, 0.5);
  for (const double bytes : {1.0, 1500.0, 1501.0, 12'345.0})
    CHECK(arrivals_s(routes, {{1, 0, 1, bytes}}, small_rate)[0] == about(1 + 1 + bytes / 250));
  const auto both_s = arrivals_s(routes, {{0, 0, 1, 10e3}, {1, 0, 1, 5e3}}, small_rate);
  CHECK(both_s[0] == about(40 + 1));
  CHECK(both_s[1] == about(60 + 1));
}

TEST_CASE("fair: connections that share links keep to their rate, and leave the rest to others") {
  const HandMadeRoutes routes = HandMadeRoutes::star(6, 1e3, 0.5);
  const FairOptions options = {.epsilon = 1e-9, .connection_rate_Bps = 300};
  // Two messages leave one host, and from 5 s on a third one, of another host, shares a port with the second.
  const auto apart_s = arrivals_s(routes, {{0, 0, 1, 6e3}, {0, 0, 2, 6e3}, {5, 3, 2, 6e3}}, options);
  CHECK(apart_s[0] == about(20 + 1));
  CHECK(apart_s[1] == about(20 + 1));
  CHECK(apart_s[2] == about(5 + 20 + 1));
  // Four messages have 250 B/s each; when one has ended, the three others have their rate of 300 B/s, as a
  // third of the port would be more.
  const auto at_one_s =
      arrivals_s(routes, {{0, 0, 5, 3e3}, {0, 1, 5, 6e3}, {0, 2, 5, 6e3}, {0, 3, 5, 6e3}}, options);
  CHECK(at_one_s[0] == about(12 + 1, share_error));
  for (const std::size_t i : {1U, 2U, 3U}) CHECK(at_one_s[i] == about(12 + 10 + 1, share_error));
}

TEST_CASE("fair: a rate above the bandwidth of links, or above the share of a connection, changes no bit") {
  const HandMadeRoutes seven = HandMadeRoutes::star(7, 1e9, 1e-6);
  for (const double rate_Bps : {1e9, 3e9})
    CHECK(arrivals_s(seven, busy(7), {.connection_rate_Bps = rate_Bps}) == arrivals_s(seven, busy(7)));
  // All numbers are powers of two, so that nothing is rounded.
  const HandMadeRoutes five = HandMadeRoutes::star(5, 1024, 0.5);
  const std::vector<Sending> into_one = {{0, 0, 4, 4096}, {0, 1, 4, 4096}, {0, 2, 4, 4096}, {0, 3, 4, 4096}};
  CHECK(arrivals_s(five, into_one, {.connection_rate_Bps = 512}) == arrivals_s(five, into_one));
}

TEST_CASE("fair: with windows, too, a rate acts like a link of that bandwidth for each connection") {
  for (unsigned seed = 0; seed < brute_force_runs; ++seed) {
    std::mt19937 random(seed);
    const HandMadeRoutes routes = random_routes(random, 6, 20, 1 + static_cast<int>(seed % 18));
    const std::vector<Sending> sendings = random_sendings(random, 6, 80);
    FairOptions options = small_window;
    const double rate_Bps = std::uniform_real_distribution<double>(200, 5e3)(random);
    const auto expected_s = arrivals_s(with_own_links(routes, rate_Bps), sendings, options);
    options.connection_rate_Bps = rate_Bps;
    const auto ends_s = arrivals_s(routes, sendings, options);
    CAPTURE(seed);
    for (std::size_t i = 0; i < sendings.size(); ++i) CHECK(ends_s[i] == about(expected_s[i], share_error));
  }
}

TEST_CASE(
    "fair: small messages with a channel of their own are not held to the rate, if they need no order") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e3, 0.5);
  const FairOptions options = {.connection_rate_Bps = 250, .has_control_channel = true};
  CHECK(arrivals_s(routes, {{0, 0, 1, 10e3}, {1, 0, 1, 1e3, false}}, options)[1] == about(1 + 1 + 1));
  CHECK(arrivals_s(routes, {{0, 0, 1, 10e3}, {1, 0, 1, 1e3}}, options)[1] == about(1 + 4 + 1));
}

}  // namespace
}  // namespace starling
