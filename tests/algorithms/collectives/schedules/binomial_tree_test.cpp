#include "algorithms/collectives/schedules/binomial_tree.hpp"

#include <doctest/doctest.h>

namespace starling {

TEST_CASE("the parent of a place in a binomial tree is the place without its lowest set bit") {
  const BinomialTree tree(8, 0);
  CHECK_EQ(tree.parent(0), -1);
  CHECK_EQ(tree.parent(7), 6);
  CHECK_EQ(tree.parent(6), 4);
  CHECK_EQ(tree.parent(4), 0);
  CHECK_EQ(tree.height(), 3);
}

TEST_CASE("places in a binomial tree are counted from the root on, which may be any rank") {
  const BinomialTree tree(5, 3);  // places 0 … 4 are ranks 3, 4, 0, 1, 2
  CHECK_EQ(tree.parent(3), -1);
  CHECK_EQ(tree.parent(4), 3);
  CHECK_EQ(tree.parent(0), 3);
  CHECK_EQ(tree.parent(1), 0);
  CHECK_EQ(tree.parent(2), 3);
}

TEST_CASE("children and parents of a binomial tree agree") {
  for (int ranks = 1; ranks <= 33; ++ranks) {
    const BinomialTree tree(ranks, ranks / 3);
    int children = 0;
    for (Rank rank = 0; rank < ranks; ++rank) {
      for (int level = 0; level < tree.level(rank); ++level) {
        const Rank child = tree.child(rank, level);
        if (child < 0) continue;
        ++children;
        CHECK_EQ(tree.parent(child), rank);
        CHECK_EQ(tree.level(child), level);
      }
    }
    CHECK_EQ(children, ranks - 1);
  }
}

}  // namespace starling
