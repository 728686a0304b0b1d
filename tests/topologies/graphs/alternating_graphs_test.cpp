#include "topologies/graphs/alternating_graphs.hpp"

#include <doctest/doctest.h>

#include <cstddef>

namespace starling {
namespace {

using Ranks = std::vector<Rank>;

/// The definition, step by step: host pairs greedily in host order, with a counter that is never reset.
std::vector<std::vector<Ranks>> groups_by_definition(int hosts, int workers_per_host) {
  const auto ranks_of = [&](int host) {
    Ranks ranks;
    for (int local = 0; local < workers_per_host; ++local) ranks.push_back(host * workers_per_host + local);
    return ranks;
  };
  std::vector<std::vector<Ranks>> iterations;
  int counter = 0;
  for (int distance = 1; distance < hosts; distance *= 2) {
    std::vector<std::vector<Ranks>> two(2);
    std::vector<bool> is_used(static_cast<std::size_t>(hosts));
    for (int host = 0; host < hosts; ++host) {
      if (is_used[static_cast<std::size_t>(host)]) continue;
      const int partner = (host + distance) % hosts;
      is_used[static_cast<std::size_t>(host)] = is_used[static_cast<std::size_t>(partner)] = true;
      const std::size_t inside = counter++ % 2 == 0 ? 0 : 1;
      two[inside].push_back(ranks_of(host));
      two[inside].push_back(ranks_of(partner));
      Ranks both = ranks_of(host);
      for (const Rank rank : ranks_of(partner)) both.push_back(rank);
      two[1 - inside].push_back(both);
    }
    iterations.insert(iterations.end(), two.begin(), two.end());
  }
  return iterations;
}

TEST_CASE("the alternating exponential ring has the groups of its definition") {
  for (const int hosts : {2, 4, 8, 16}) {
    for (const int workers_per_host : {1, 2, 4, 5}) {
      CAPTURE(hosts);
      CAPTURE(workers_per_host);
      const AlternatingHosts graph(hosts, workers_per_host);
      const auto expected = groups_by_definition(hosts, workers_per_host);
      REQUIRE(graph.period() == static_cast<int>(expected.size()));
      for (int iteration = 0; iteration < graph.period(); ++iteration) {
        for (const Ranks& group : expected[static_cast<std::size_t>(iteration)]) {
          for (const Rank rank : group) REQUIRE(graph.group(rank, iteration) == group);
        }
      }
    }
  }
}

TEST_CASE("with four hosts of two, half of the hosts average inside while the others average across") {
  const AlternatingHosts graph(4, 2);
  CHECK(graph.group(0, 0) == Ranks{0, 1});
  CHECK(graph.group(2, 0) == Ranks{2, 3});
  CHECK(graph.group(4, 0) == Ranks{4, 5, 6, 7});
  CHECK(graph.group(3, 1) == Ranks{0, 1, 2, 3});
  CHECK(graph.group(7, 1) == Ranks{6, 7});
  CHECK(graph.group(0, 2) == Ranks{0, 1});
  CHECK(graph.group(2, 2) == Ranks{2, 3, 6, 7});
  CHECK(graph.group(5, 3) == Ranks{0, 1, 4, 5});
}

TEST_CASE("the one-peer ring uses its two sets of pairs by turns") {
  const AlternatingPairs graph(6);
  CHECK(graph.out_neighbors(0, 0) == Ranks{1});
  CHECK(graph.out_neighbors(5, 0) == Ranks{4});
  CHECK(graph.out_neighbors(0, 1) == Ranks{5});
  CHECK(graph.out_neighbors(1, 1) == Ranks{2});
  CHECK(graph.out_neighbors(5, 1) == Ranks{0});
}

}  // namespace
}  // namespace starling
