#include "algorithms/collectives/group.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

namespace starling {

TEST_CASE("a group numbers its members in the order given") {
  const Group group({5, 2, 9});
  CHECK_EQ(group.size(), 3);
  CHECK_EQ(group.world_rank(2), 9);
  CHECK_EQ(group.index_of(2), 1);
  CHECK(group.contains(5));
  CHECK_FALSE(group.contains(3));
}

TEST_CASE("a group refuses nobody, a rank twice, and questions about strangers") {
  CHECK_THROWS_WITH_AS(Group({}), "a group needs at least one member", std::invalid_argument);
  CHECK_THROWS_WITH_AS(Group({1, 2, 1}), "rank 1 is in the group twice", std::invalid_argument);
  CHECK_THROWS_WITH_AS(Group({1, 2}).index_of(3), "rank 3 is not in the group", std::invalid_argument);
}

}  // namespace starling
