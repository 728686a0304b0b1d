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

TEST_CASE("fair: links that fill at the same level have it, whichever way it is found") {
  // Workers 0 and 1 send to 2 and 3, each with half of every link, until another one comes to 2 at 10 s.
  const HandMadeRoutes routes = HandMadeRoutes::star(5, 1e3, 0);
  for (const double patience : {4.0, 0.0}) {
    const std::vector<double> ends_s = arrivals_s(
        routes, {{0, 0, 2, 10e3}, {0, 0, 3, 10e3}, {0, 1, 2, 10e3}, {0, 1, 3, 10e3}, {10, 4, 2, 5e3}},
        {.epsilon = 1e-9, .patience = patience});
    for (const std::size_t to_3 : {1U, 3U}) CHECK(ends_s[to_3] == about(20, share_error));
    for (const std::size_t to_2 : {0U, 2U, 4U}) CHECK(ends_s[to_2] == about(25, share_error));
  }
}

/// A share may be off by epsilon, and so may the time a message takes.
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
  for (const double patience : {4.0, 0.0})  // 0: by progressive filling, as soon as some links changed
    for (unsigned seed = 0; seed < brute_force_runs; ++seed) {
      CAPTURE(seed);
      std::mt19937 random(seed);
      check(random, seed, FairOptions{.epsilon = 1e-9, .patience = patience});
    }
}

TEST_CASE("fair: with a small epsilon, all messages of random networks arrive when brute force says") {
  for_each_seed([](std::mt19937& random, unsigned seed, const FairOptions& options) {
    const HandMadeRoutes routes = random_routes(random, 6, 20, 1 + static_cast<int>(seed % 18));
    check_against_brute_force(routes, random_sendings(random, 6, 80), options);
  });
}

TEST_CASE("fair: who meets others on the first link weighs less, from when they come until they are gone") {
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

TEST_CASE("fair: with rates, all messages of random networks arrive when brute force says, too") {
  for_each_seed([](std::mt19937& random, unsigned seed, FairOptions options) {
    const HandMadeRoutes routes = random_routes(random, 6, 20, 1 + static_cast<int>(seed % 18));
    const std::vector<Sending> sendings = random_sendings(random, 6, 80);
    options.connection_rate_Bps = std::uniform_real_distribution<double>(200, 5e3)(random);
    check_against_brute_force(routes, sendings, options);
  });
}

}  // namespace
}  // namespace starling
