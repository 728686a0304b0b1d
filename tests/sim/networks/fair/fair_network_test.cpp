#include "sim/networks/fair/fair_network.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include "fair_sending.hpp"
#include "tests/rounding.hpp"
#include "tests/sim/networks/hand_made_routes.hpp"
#include "tests/sim/networks/transfers.hpp"

namespace starling {
namespace {

TEST_CASE("fair: alone, a message takes the latencies of its route and its bytes at the least bandwidth") {
  HandMadeRoutes routes(2);
  const LinkIndex fast = routes.add_link(0, 2, 8e3, 0.5);
  const LinkIndex slow = routes.add_link(2, 3, 1e3, 0.25);
  const LinkIndex medium = routes.add_link(3, 1, 2e3, 0.125);
  routes.add_route(0, 1, {fast, slow, medium});
  for (const double bytes : {0.0, 1.0, 1500.0, 1501.0, 12'345.0})
    CHECK(arrivals_s(routes, {{1, 0, 1, bytes}})[0] == about(1 + 0.875 + bytes / 1e3));
}

TEST_CASE("fair: an arrival that was planned before a message had to share its links does not happen") {
  // Alone, the first would arrive at 11 s and the second, behind it, at 16 s; the third takes half of the
  // port from 5 s on.
  const HandMadeRoutes routes = HandMadeRoutes::star(3, 1e3, 0.5);
  const Arrivals arrivals =
      send(routes, {{0, 0, 2, 10e3}, {0, 0, 2, 5e3}, {5, 1, 2, 10e3}, {5, 1, 0, 50e3}}, exact);
  CHECK(arrivals.order.size() == 4);
  CHECK(arrivals.times_s[0] == about(15 + 1));
  CHECK(arrivals.times_s[1] == about(25 + 1));
  CHECK(arrivals.times_s[2] == about(25 + 1));
}

TEST_CASE("fair: a message alone on its links takes one entry of the agenda, also after others shared them") {
  const HandMadeRoutes routes = HandMadeRoutes::star(3, 1e3, 0.5);
  FairNetwork network(routes);
  CHECK(entries_of(network, {{0, 0, 2, 5e3}}) == 1);
  std::vector<Sending> sendings = {{0, 0, 2, 5e3}, {0, 1, 2, 5e3}};
  const auto of_sharing = entries_of(network, sendings);
  sendings.push_back({100, 0, 2, 5e3});
  CHECK(entries_of(network, sendings) == of_sharing + 1);
}

TEST_CASE("fair: the same messages arrive at bit-identical times, also after a run that was cut off") {
  const HandMadeRoutes routes = HandMadeRoutes::star(7, 1e9, 1e-6);
  FairNetwork network(routes);
  CHECK(send_all(network, busy(7), 1e-4).order.size() < busy(7).size());
  CHECK(send_all(network, busy(7), patience_s).times_s == arrivals_s(routes, busy(7)));
}

TEST_CASE("fair: options out of range are refused") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e9, 0);
  for (const double epsilon : {-1.0, 0.0, 0.11, std::nan("")})
    CHECK_THROWS_AS(FairNetwork(routes, {.epsilon = epsilon}), std::invalid_argument);
  CHECK_THROWS_AS(FairNetwork(routes, {.window_bytes = 0}), std::invalid_argument);
  CHECK_THROWS_AS(FairNetwork(routes, {.frame_bytes = -1}), std::invalid_argument);
  CHECK_THROWS_AS(FairNetwork(routes, {.connection_rate_Bps = 0}), std::invalid_argument);
  CHECK_THROWS_AS(FairNetwork(routes, {.streams = 0}), std::invalid_argument);
  CHECK_THROWS_AS(FairNetwork(routes, {.weight_s_bytes = -1.0}), std::invalid_argument);
  CHECK_THROWS_AS(FairNetwork(routes, {.unevenness = 1.0}), std::invalid_argument);
  for (const double queued : {-0.1, 1.1, std::nan("")})
    CHECK_THROWS_AS(FairNetwork(routes, {.queued_at_first_link = queued}), std::invalid_argument);
}

}  // namespace
}  // namespace starling
