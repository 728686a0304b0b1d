#include "algorithms/training/gossip/pairing.hpp"

#include <doctest/doctest.h>

#include <set>
#include <stdexcept>

#include "gossip_fixture.hpp"

namespace starling {
namespace {

TEST_CASE("the published pairing of AD-PSGD asks ranks at distances ±1 and ±(2^k+1) by turns") {
  const Pairing pairing = Pairing::exponential(16);
  const std::vector<Rank> expected = {5, 3, 7, 1, 9, 15, 13, 11};
  for (std::size_t n = 0; n < 16; ++n)
    CHECK(pairing.partner(4, static_cast<std::int64_t>(n)) == expected[n % 8]);
}

TEST_CASE("in the published pairing even ranks ask odd ones, for every even number of workers") {
  for (int workers = 2; workers <= 64; workers += 2) {
    const Pairing pairing = Pairing::exponential(workers);
    int asked = 0;
    int asking = 0;
    for (Rank rank = 0; rank < workers; ++rank) {
      CHECK(pairing.is_active(rank) == (rank % 2 == 0));
      asked += pairing.askers(rank);
      if (rank % 2 != 0) continue;
      CHECK(pairing.askers(rank) == 0);
      const std::vector<Rank> partners = pairing.all_partners(rank);
      CHECK(std::set<Rank>(partners.begin(), partners.end()).size() == partners.size());
      for (const Rank partner : partners) CHECK(partner % 2 == 1);
      asking += static_cast<int>(partners.size());
    }
    CHECK(asked == asking);
  }
}

TEST_CASE("over a graph a worker of AD-PSGD asks its neighbors only, and each of them in the end") {
  const auto ring = ring_of(8);
  const Pairing pairing = Pairing::over_graph(*ring, 3);
  for (Rank rank = 0; rank < 8; rank += 2) {
    std::set<Rank> asked;
    for (int n = 0; n < 100; ++n) asked.insert(pairing.partner(rank, n));
    CHECK(asked == std::set<Rank>{(rank + 1) % 8, (rank + 7) % 8});
    CHECK(pairing.askers(rank + 1) == 2);
  }
}

TEST_CASE("AD-PSGD refuses cycles of odd length, edges in one direction and odd numbers of workers") {
  CHECK_THROWS_WITH_AS(Pairing::exponential(7),
                       "there are 7 workers; the published pairing needs an even number",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(Pairing::over_graph(*ring_of(5), 1),
                       "ranks 0 and 1 are on a cycle of odd length; the graph must be bipartite",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(Pairing::over_graph(Circulant(4, {{1}}), 1),
                       "rank 0 does not receive from a rank that it sends to", std::invalid_argument);
  CHECK(Pairing::exponential(1).askers(0) == 0);
}

}  // namespace
}  // namespace starling
