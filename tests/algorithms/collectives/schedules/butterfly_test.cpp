#include "algorithms/collectives/schedules/butterfly.hpp"

#include <doctest/doctest.h>

#include <set>
#include <stdexcept>

namespace starling {

using Ranks = std::vector<Rank>;

TEST_CASE("the butterfly's groups of four among eight ranks are those of the figure in the WAGMA-SGD paper") {
  CHECK_EQ(Butterfly(8, 4, 0).group_of(1), Ranks{0, 1, 2, 3});
  CHECK_EQ(Butterfly(8, 4, 0).group_of(6), Ranks{4, 5, 6, 7});
  CHECK_EQ(Butterfly(8, 4, 1).group_of(0), Ranks{0, 1, 4, 5});
  CHECK_EQ(Butterfly(8, 4, 1).group_of(7), Ranks{2, 3, 6, 7});
  CHECK_EQ(Butterfly(8, 4, 2).group_of(0), Ranks{0, 2, 4, 6});
  CHECK_EQ(Butterfly(8, 4, 2).group_of(3), Ranks{1, 3, 5, 7});
}

TEST_CASE("groups of the square root of the ranks spread an update to everyone in two iterations") {
  for (const int root : {2, 4, 8}) {
    const int ranks = root * root;
    std::set<Rank> reached;
    for (const Rank member : Butterfly(ranks, root, 5).group_of(3)) {
      for (const Rank next : Butterfly(ranks, root, 6).group_of(member)) reached.insert(next);
    }
    CHECK_EQ(static_cast<int>(reached.size()), ranks);
  }
}

TEST_CASE("partners in a butterfly are mutual and in the same group") {
  const Butterfly butterfly(16, 4, 3);
  for (Rank rank = 0; rank < 16; ++rank) {
    for (int phase = 0; phase < butterfly.phases(); ++phase) {
      const Rank partner = butterfly.partner(rank, phase);
      CHECK_EQ(butterfly.partner(partner, phase), rank);
      CHECK_EQ(butterfly.group_of(partner), butterfly.group_of(rank));
    }
  }
}

TEST_CASE("a group of one has no phases") {
  CHECK_EQ(Butterfly(8, 1, 2).phases(), 0);
  CHECK_EQ(Butterfly(1, 1, 2).group_of(0), Ranks{0});
}

TEST_CASE("a butterfly refuses numbers of ranks and group sizes that are no powers of two") {
  CHECK_THROWS_WITH_AS(Butterfly(6, 2, 0), "a butterfly needs a power of two of ranks, got 6",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(Butterfly(8, 3, 0), "the group size must be a power of two between 1 and 8, got 3",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(Butterfly(8, 16, 0), "the group size must be a power of two between 1 and 8, got 16",
                       std::invalid_argument);
}

}  // namespace starling
