#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/collectives/schedules/even_partition.hpp"
#include "algorithms/collectives/schedules/schedule.hpp"

namespace starling {

/// A binary tree over places 0 … P−1 in which odd places are leaves. Place 0 is the root and has one child;
/// the parent of any other place follows from its lowest set bit.
///
///     0 ───────── 8          P = 14
///           4 ────┴──── 12
///        2 ─┴─ 6     10 ─┴─ 13
///       1 3   5 7   9  11
class InOrderTree {
 public:
  explicit InOrderTree(int places) : places_(places) {}

  /// The parent of `place`; −1 for the root.
  int parent(int place) const;

 private:
  int places_;
};

/// Two binary trees over the same P ranks, in which no rank has more than two children in both trees
/// together: an inner node of one tree is a leaf of the other, except rank 0 if P is odd, which has one
/// child in each.
///
/// The second tree is the first one mirrored (P even) or shifted by one (P odd). Every edge has one of two
/// colors; the edges from a rank to its two parents have different colors, and so have the edges from its
/// two children. Ranks use edges of one color in even steps and of the other color in odd steps, so a rank
/// sends at most one message and receives at most one message per step. The `start` of an edge is the first
/// step of its color after all edges below it in its tree have been used.
///
/// O(P) to build.
///
/// Reference: Sanders, Speck, Träff, "Two-tree algorithms for full bandwidth broadcast,
/// reduction and scan", Parallel Computing 35(12), 2009.
class DoubleTree {
 public:
  static constexpr int trees = 2;

  /// An edge as seen from one of its ends; peer is −1 if there is no edge.
  struct Edge {
    Rank peer = -1;
    int tree = 0;
    int start = 0;
  };

  explicit DoubleTree(int ranks);

  int ranks() const { return ranks_; }
  /// The parent of `rank` in `tree`; −1 for the root.
  Rank parent(Rank rank, int tree) const;
  /// The edge of this color from `rank` to a parent.
  const Edge& up(Rank rank, int color) const { return up_[index_of(rank)][static_cast<std::size_t>(color)]; }
  /// The edge of this color from `rank` to a child.
  const Edge& down(Rank rank, int color) const {
    return down_[index_of(rank)][static_cast<std::size_t>(color)];
  }
  /// D: the number of steps in which every edge is used once, from the leaves up: 2log₂P − 1 for powers of
  /// two above 1, at most 2⌈log₂P⌉ for other P, 0 for one rank.
  int depth() const { return depth_; }

 private:
  using EdgesByColor = std::array<Edge, 2>;

  int ranks_;
  int depth_ = 0;
  std::vector<EdgesByColor> up_;
  std::vector<EdgesByColor> down_;
};

/// All-reduce over two trees at once. Each tree works on one half of the elements in n segments: a reduce up
/// the tree to its root, then a broadcast down again.
///
/// On the way up, segment k uses an edge in step start + 2k; the way down runs the same steps backwards.
///
/// For P ranks, m bytes and DoubleTree's D: T(n) = (D + 2(n−1))(2α + m/(2n)·(2β+γ)) if every message starts
/// only when both its ends are ready (for two ranks n steps instead of D + 2(n−1)). With the best n this is
/// 2mβ + mγ + 2(D−2)α + 2√(2(D−2)α·m(2β+γ)). Compared with 2⌈log₂P⌉α + 2mβ, the bytes are the same, there
/// are twice as many start-ups because a rank serves its children one after the other, and the square-root
/// term is the cost of pipelining. Eager segments leave before their receiver is ready and can queue ahead
/// of those that the receiver waits for: the event model then takes 0.81 to 1.25 T, SimGrid up to 1.9 T
/// (algorithms/README.md gives the range of sizes).
///
/// Reference: as for DoubleTree.
class DoubleTreeAllReduce final : public Schedule {
 public:
  /// @throws InvariantError if segments < 1.
  DoubleTreeAllReduce(int ranks, std::int64_t count, int segments);

  std::string name() const override { return "double tree all-reduce"; }
  int rounds(Rank) const override { return 2 * phase_rounds_; }
  Round round(Rank rank, int index) const override;

  int segments() const { return segments_; }

 private:
  Transmission transmission(const DoubleTree::Edge& edge, int steps_since_start) const;

  DoubleTree tree_;
  int segments_;
  int phase_rounds_;
  EvenPartition halves_;
  std::array<EvenPartition, DoubleTree::trees> segments_of_half_;
};

inline constexpr int most_double_tree_segments = 512;

/// The n that minimizes T(n) above, from n² = (D−2)·m(2β+γ)/(8α), rounded and limited to 1 … 512; 1 if α is
/// 0.
int best_double_tree_segments(int depth, double bytes, double start_up_s, double s_per_byte,
                              double reduction_s_per_byte);

}  // namespace starling
