#include "algorithms/collectives/schedules/double_tree.hpp"

#include <doctest/doctest.h>

#include <bit>

#include "base/errors.hpp"

namespace starling {
namespace {

bool is_inner(const DoubleTree& trees, Rank rank, int tree) {
  for (Rank child = 0; child < trees.ranks(); ++child) {
    if (trees.parent(child, tree) == rank) return true;
  }
  return false;
}

int distance_to_root(const DoubleTree& trees, Rank rank, int tree) {
  int distance = 0;
  for (; trees.parent(rank, tree) >= 0; rank = trees.parent(rank, tree)) ++distance;
  return distance;
}

}  // namespace

TEST_CASE("the in-order tree over fourteen places is that of the drawing in double_tree.hpp") {
  const InOrderTree tree(14);
  CHECK_EQ(tree.parent(0), -1);
  CHECK_EQ(tree.parent(8), 0);
  CHECK_EQ(tree.parent(4), 8);
  CHECK_EQ(tree.parent(12), 8);
  CHECK_EQ(tree.parent(9), 10);
  CHECK_EQ(tree.parent(13), 12);
}

TEST_CASE("both trees of a double tree reach every rank and have at most ⌈log₂P⌉ levels") {
  for (int ranks = 1; ranks <= 130; ++ranks) {
    const DoubleTree trees(ranks);
    for (int tree = 0; tree < DoubleTree::trees; ++tree) {
      int roots = 0;
      for (Rank rank = 0; rank < ranks; ++rank) {
        roots += trees.parent(rank, tree) < 0 ? 1 : 0;
        CHECK_LE(distance_to_root(trees, rank, tree), std::bit_width(static_cast<unsigned>(ranks - 1)));
      }
      CHECK_EQ(roots, 1);
    }
  }
}

TEST_CASE(
    "an inner node of one tree of a double tree is a leaf of the other, except rank 0 of an odd number") {
  for (int ranks = 2; ranks <= 67; ++ranks) {
    const DoubleTree trees(ranks);
    for (Rank rank = 0; rank < ranks; ++rank) {
      const bool is_twice_inner = is_inner(trees, rank, 0) && is_inner(trees, rank, 1);
      CHECK_EQ(is_twice_inner, rank == 0 && ranks % 2 == 1);
    }
  }
}

TEST_CASE("edges of a double tree at one rank have different colors and start after those below them") {
  for (int ranks = 2; ranks <= 130; ++ranks) {
    const DoubleTree trees(ranks);
    int edges = 0;
    for (Rank rank = 0; rank < ranks; ++rank) {
      for (const int color : {0, 1}) {
        const DoubleTree::Edge& up = trees.up(rank, color);
        if (up.peer < 0) continue;
        ++edges;
        CHECK_EQ(up.peer, trees.parent(rank, up.tree));
        CHECK_EQ(trees.down(up.peer, color).peer, rank);
        CHECK_EQ(up.start % 2, color);
        for (const int below : {0, 1}) {
          const DoubleTree::Edge& down = trees.down(rank, below);
          if (down.peer >= 0 && down.tree == up.tree) CHECK_LT(down.start, up.start);
        }
      }
    }
    CHECK_EQ(edges, 2 * (ranks - 1));
  }
}

TEST_CASE("a segment of a double tree takes at most 2⌈log₂P⌉ steps") {
  CHECK_EQ(DoubleTree(1).depth(), 0);
  CHECK_EQ(DoubleTree(2).depth(), 1);
  for (int ranks = 2; ranks <= 1100; ++ranks) {
    const auto levels = static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1)));
    CHECK_LE(DoubleTree(ranks).depth(), 2 * levels);
    if (ranks == 1 << levels) CHECK_EQ(DoubleTree(ranks).depth(), 2 * levels - 1);
  }
}

TEST_CASE("the best number of segments of a double tree grows with the square root of the bytes") {
  // (D−2)·m·2β/(8α) = 6·10⁸·2·10⁻¹⁰/(8·1.5·10⁻⁵) = 1000 = 31.6².
  CHECK_EQ(best_double_tree_segments(8, 1e8, 1.5e-5, 1e-10, 0), 32);
  CHECK_EQ(best_double_tree_segments(8, 1e2, 1.5e-5, 1e-10, 0), 1);
  CHECK_EQ(best_double_tree_segments(8, 1e12, 1.5e-5, 1e-10, 0), 512);
  CHECK_EQ(best_double_tree_segments(8, 1e8, 0, 1e-10, 0), 1);
  CHECK_EQ(best_double_tree_segments(2, 1e8, 1.5e-5, 1e-10, 0), 1);
}

TEST_CASE("a double tree without segments is refused") {
  CHECK_THROWS_AS(DoubleTreeAllReduce(4, 10, 0), InvariantError);
}

}  // namespace starling
