#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "fair_sending.hpp"
#include "max_min.hpp"
#include "sim/networks/fair/fair_network.hpp"
#include "tests/rounding.hpp"
#include "tests/sim/networks/hand_made_routes.hpp"
#include "tests/sim/networks/random_networks.hpp"
#include "tests/sim/networks/transfers.hpp"

namespace starling {
namespace {

TEST_CASE("fair: a connection slowed by one link leaves the bandwidth it cannot use elsewhere to others") {
  // Workers 0 and 1 send to worker 3, each with half of the link to it. Worker 1 also sends to worker 2, with
  // the other half of its own link. At 20 s worker 0 has sent its 10 kB.
  const HandMadeRoutes routes = HandMadeRoutes::star(4, 1e3, 0);
  const std::vector<double> ends_s =
      arrivals_s(routes, {{0, 0, 3, 10e3}, {0, 1, 3, 20e3}, {0, 1, 2, 15e3}}, exact);
  CHECK(ends_s[0] == about(20));
  CHECK(ends_s[2] == about(30));  // worker 1's link is shared by two all the time
  CHECK(ends_s[1] == about(35));  // the last 5 kB alone
}

TEST_CASE("fair: links that fill at the same level give equal shares, whichever way these are found") {
  // Workers 0 and 1 send to workers 2 and 3, so that each message has half of every link, until worker 4
  // sends to worker 2, too, at 10 s. A patience of 0 finds shares by progressive filling, 4 step by step.
  const HandMadeRoutes routes = HandMadeRoutes::star(5, 1e3, 0);
  for (const double patience : {4.0, 0.0}) {
    const std::vector<double> ends_s = arrivals_s(
        routes, {{0, 0, 2, 10e3}, {0, 0, 3, 10e3}, {0, 1, 2, 10e3}, {0, 1, 3, 10e3}, {10, 4, 2, 5e3}},
        {.epsilon = 1e-9, .patience = patience});
    for (const std::size_t to_3 : {1U, 3U}) CHECK(ends_s[to_3] == about(20, share_error));
    for (const std::size_t to_2 : {0U, 2U, 4U}) CHECK(ends_s[to_2] == about(25, share_error));
  }
}

/// Compares arrivals with those of Fluid. A share may be off by epsilon, 10⁻⁹, and so may the time a message
/// takes.
void check_against_brute_force(const HandMadeRoutes& routes, const std::vector<Sending>& sendings,
                               const FairOptions& options) {
  const HandMadeRoutes limited =
      options.connection_rate_Bps ? with_own_links(routes, *options.connection_rate_Bps) : routes;
  const std::vector<double> expected_s =
      Fluid(limited, sendings, options.queued_at_first_link.value_or(0)).arrivals_s();
  const std::vector<double> ends_s = arrivals_s(routes, sendings, options);
  for (std::size_t i = 0; i < sendings.size(); ++i) {
    CAPTURE(i);
    CHECK(std::abs(ends_s[i] - expected_s[i]) <= 1e-9 * expected_s[i]);
  }
}

/// Calls check(random, seed, options) with many seeds, for either way of finding shares.
template <typename Check>
void for_each_seed(const Check& check) {
  for (const double patience :
       {4.0, 0.0})  // with 0 by progressive filling as soon as some links have changed
    for (unsigned seed = 0; seed < brute_force_runs; ++seed) {
      CAPTURE(seed);
      std::mt19937 random(seed);
      check(random, seed, FairOptions{.epsilon = 1e-9, .patience = patience});
    }
}

TEST_CASE(
    "fair: with a small epsilon, messages in random networks arrive as by brute-force max-min sharing") {
  for_each_seed([](std::mt19937& random, unsigned seed, const FairOptions& options) {
    const HandMadeRoutes routes = random_routes(random, 6, 20, 1 + static_cast<int>(seed % 18));
    check_against_brute_force(routes, random_sendings(random, 6, 80), options);
  });
}

TEST_CASE("fair: a connection weighs less from when others come to its first link until they are gone") {
  for_each_seed([](std::mt19937& random, unsigned seed, FairOptions options) {
    constexpr double queued = 0.3;
    const bool is_star = seed % 2 == 0;
    const HandMadeRoutes routes = is_star ? HandMadeRoutes::star(6, 3e3, 1e-3)
                                          : random_routes(random, 6, 20, 1 + static_cast<int>(seed % 18));
    const std::vector<Sending> sendings = random_sendings(random, 6, 80);
    options.queued_at_first_link = queued;
    check_against_brute_force(routes, sendings, options);
    if (is_star) CHECK(Fluid(routes, sendings, queued).arrivals_s() != Fluid(routes, sendings).arrivals_s());
  });
}

TEST_CASE("fair: with rates, messages in random networks arrive as by brute-force max-min sharing") {
  for_each_seed([](std::mt19937& random, unsigned seed, FairOptions options) {
    const HandMadeRoutes routes = random_routes(random, 6, 20, 1 + static_cast<int>(seed % 18));
    const std::vector<Sending> sendings = random_sendings(random, 6, 80);
    options.connection_rate_Bps = std::uniform_real_distribution<double>(200, 5e3)(random);
    check_against_brute_force(routes, sendings, options);
  });
}

}  // namespace
}  // namespace starling
