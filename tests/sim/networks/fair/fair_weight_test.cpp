#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "fair_sending.hpp"
#include "sim/networks/fair/fair_network.hpp"
#include "tests/rounding.hpp"
#include "tests/sim/networks/hand_made_routes.hpp"
#include "tests/sim/networks/transfers.hpp"

namespace starling {
namespace {

TEST_CASE(
    "fair: connections that share a link unevenly use all of it, and none has more than its weight allows") {
  constexpr double unevenness = 0.2;
  const HandMadeRoutes routes = HandMadeRoutes::star(3, 10e3, 0.5);
  const std::vector<Sending> both = {{0, 0, 1, 10e3}, {0, 0, 2, 10e3}};
  double least_s = 10;
  double sum_s = 0;
  constexpr int draws = 200;
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    const auto ends_s = arrivals_s(routes, both, {.epsilon = 1e-9, .unevenness = unevenness, .seed = seed});
    CHECK(ends_s == arrivals_s(routes, both, {.epsilon = 1e-9, .unevenness = unevenness, .seed = seed}));
    const double first_s = std::min(ends_s[0], ends_s[1]);
    CHECK(std::max(ends_s[0], ends_s[1]) == about(1 + 2, share_error));
    CHECK(first_s > 1 + 2 / (1 + unevenness));  // the bound for the greatest weight beside the least one
    least_s = std::min(least_s, first_s);
    sum_s += first_s - 1;
  }
  CHECK(least_s < 1 + 2 / (1 + unevenness / 2));
  // With u₁ and u₂ uniform from −0.2 to 0.2, the first to end has (1 + x)/2 of the link for x = |u₁ − u₂|/(2
  // + u₁ + u₂), whose mean is 0.067, and takes 2/(1 + x): 1.88 s on average. The tolerance is five standard
  // errors of 0.08 s/√200, relative to the mean.
  CHECK(sum_s / draws == about(1.88, 0.015));
  const auto other = arrivals_s(routes, both, {.unevenness = unevenness, .seed = draws + 1});
  CHECK(other != arrivals_s(routes, both, {.unevenness = unevenness, .seed = 1}));
}

TEST_CASE("fair: connections share a link in inverse proportion to the penalties of their routes") {
  HandMadeRoutes routes(3);
  const LinkIndex last = routes.add_link(3, 2, 3e3, 0.5);
  routes.add_route(0, 2, {routes.add_link(0, 3, 10e3, 0.5), last});
  routes.add_route(1, 2, {routes.add_link(1, 3, 10e3, 1.5), last});
  const std::vector<Sending> sendings = {{0, 0, 2, 10e3}, {0, 1, 2, 10e3}};
  // Penalties of 1 and 2 s give 2 and 1 kB/s; after 5 s the second sends its other 5 kB alone at 3 kB/s.
  const std::vector<double> by_latency_s = arrivals_s(routes, sendings, {.weight_s_bytes = 0.0});
  CHECK(by_latency_s[0] == about(5 + 1));
  CHECK(by_latency_s[1] == about(5 + 5.0 / 3 + 2));
  // The first message with S = 1 kB: both penalties grow by Σ S/bandwidth = 1/10 + 1/3 = 13/30 s.
  const double share = (2 + 13.0 / 30) / (3 + 26.0 / 30);
  const double by_both_s = arrivals_s(routes, sendings, {.weight_s_bytes = 1e3})[0];
  CHECK(by_both_s == about(10e3 / (3e3 * share) + 1));
}

TEST_CASE("fair: by latency, routes without latency share evenly and leave others nearly nothing") {
  const HandMadeRoutes at_once = HandMadeRoutes::star(3, 1e3, 0);
  const FairOptions by_latency{.epsilon = 1e-9, .weight_s_bytes = 0.0};
  for (const double end_s : arrivals_s(at_once, {{0, 0, 2, 5e3}, {0, 1, 2, 5e3}}, by_latency))
    CHECK(end_s == about(10, share_error));
  HandMadeRoutes routes(3);
  const LinkIndex last = routes.add_link(3, 2, 1e3, 0);
  routes.add_route(0, 2, {routes.add_link(0, 3, 10e3, 0), last});
  routes.add_route(1, 2, {routes.add_link(1, 3, 10e3, 1), last});
  const std::vector<double> ends_s = arrivals_s(routes, {{0, 0, 2, 5e3}, {0, 1, 2, 5e3}}, by_latency);
  CHECK(ends_s[0] == about(5, share_error));
  CHECK(ends_s[1] == about(10 + 1, share_error));
}

}  // namespace
}  // namespace starling
