#include "algorithms/training/gossip/averaging_groups.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

namespace starling {
namespace {

using Groups = std::vector<std::vector<Rank>>;

Groups as_lists(const RankPartition& partition) {
  Groups lists;
  for (int group = 0; group < partition.groups(); ++group) {
    const auto members = partition.members(group);
    lists.emplace_back(members.begin(), members.end());
  }
  return lists;
}

TEST_CASE("the averaging groups of every graph are those of its definition, iteration by iteration") {
  const AveragingGroups complete = make_averaging_groups("complete", 3, 1);
  CHECK(complete.size() == 1);
  CHECK(as_lists(complete[0]) == Groups{{0, 1, 2}});

  const AveragingGroups ring = make_averaging_groups("one_peer_ring", 6, 1);
  CHECK(ring.size() == 2);
  CHECK(as_lists(ring[0]) == Groups{{0, 1}, {2, 3}, {4, 5}});
  CHECK(as_lists(ring[1]) == Groups{{0, 5}, {1, 2}, {3, 4}});

  const AveragingGroups exponential = make_averaging_groups("one_peer_exponential", 8, 1);
  CHECK(exponential.size() == 3);
  CHECK(as_lists(exponential[0]) == Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}});
  CHECK(as_lists(exponential[1]) == Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}});
  CHECK(as_lists(exponential[2]) == Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}});
}

TEST_CASE("the alternating exponential ring averages inside hosts and across pairs of hosts by turns") {
  const AveragingGroups groups = make_averaging_groups("alternating_exponential_ring", 8, 2);
  CHECK(groups.size() == 4);
  CHECK(as_lists(groups[0]) == Groups{{0, 1}, {2, 3}, {4, 5, 6, 7}});
  CHECK(as_lists(groups[1]) == Groups{{0, 1, 2, 3}, {4, 5}, {6, 7}});
  CHECK(as_lists(groups[2]) == Groups{{0, 1}, {2, 3, 6, 7}, {4, 5}});
  CHECK(as_lists(groups[3]) == Groups{{0, 1, 4, 5}, {2, 3}, {6, 7}});
}

TEST_CASE("a rank is found in its averaging group at its index") {
  for (const RankPartition& partition : make_averaging_groups("alternating_exponential_ring", 16, 4)) {
    for (Rank rank = 0; rank < 16; ++rank) {
      const auto members = partition.members_with(rank);
      CHECK(members[static_cast<std::size_t>(partition.index_of(rank))] == rank);
    }
  }
}

TEST_CASE("unknown averaging graphs, and those that do not fit the workers, are refused") {
  CHECK_THROWS_WITH_AS(make_averaging_groups("star", 4, 1),
                       "graph is \"star\"; it must be one of complete, one_peer_ring, one_peer_exponential, "
                       "alternating_exponential_ring",
                       std::invalid_argument);
  CHECK_THROWS_AS(make_averaging_groups("one_peer_ring", 5, 1), std::invalid_argument);
  CHECK_THROWS_AS(make_averaging_groups("one_peer_exponential", 6, 1), std::invalid_argument);
  CHECK_THROWS_AS(make_averaging_groups("alternating_exponential_ring", 6, 2), std::invalid_argument);
  CHECK_THROWS_AS(make_averaging_groups("alternating_exponential_ring", 4, 4), std::invalid_argument);
}

}  // namespace
}  // namespace starling
