#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include "hand_made_routes.hpp"
#include "sim/strands/address_sanitizer.hpp"
#include "transfers.hpp"

namespace starling {

/// How many random networks brute force computes within seconds.
inline constexpr unsigned brute_force_runs = has_address_sanitizer ? 15 : 60;

/// Routes of 1 to `most_hops` links drawn from `links` links, whose bandwidths are 1 to 10 kB/s. Link i has a
/// latency of i ms.
inline HandMadeRoutes random_routes(std::mt19937& random, int workers, int links, int most_hops) {
  HandMadeRoutes routes(workers);
  std::uniform_real_distribution<double> bandwidth_kBps(1, 10);
  std::vector<LinkIndex> all;
  for (int i = 0; i < links; ++i)
    all.push_back(routes.add_link(0, 0, 1e3 * bandwidth_kBps(random), 1e-3 * i));
  for (Rank source = 0; source < workers; ++source) {
    for (Rank destination = 0; destination < workers; ++destination) {
      if (source == destination) continue;
      std::ranges::shuffle(all, random);
      const auto hops = 1 + random() % static_cast<unsigned>(most_hops);
      routes.add_route(source, destination, {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(hops)});
    }
  }
  return routes;
}

/// At least `count` messages of random workers: half of them start at one of four common times, the others at
/// any time; some are chains of three on one connection, and an eighth have no bytes.
inline std::vector<Sending> random_sendings(std::mt19937& random, int workers, int count) {
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

/// The same network, except that the route of each connection ends with a link of its own of that bandwidth.
inline HandMadeRoutes with_own_links(const HandMadeRoutes& routes, double bandwidth_Bps) {
  HandMadeRoutes with = routes;
  for (Rank source = 0; source < routes.workers(); ++source)
    for (Rank destination = 0; destination < routes.workers(); ++destination) {
      if (source == destination) continue;
      const auto route = routes.route(source, destination);
      std::vector<LinkIndex> links(route.begin(), route.end());
      links.push_back(with.add_link(routes.workers(), routes.workers(), bandwidth_Bps, 0));
      with.add_route(source, destination, links);
    }
  return with;
}

}  // namespace starling
