#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/collectives/schedules/even_partition.hpp"
#include "algorithms/collectives/schedules/schedule.hpp"

namespace starling {

/// A binary tree over places 0 … P−1 in which odd places are leaves: place 0 is the root with one child, and
/// the parent of any other place is found by its lowest set bit.
///
///     0 ───────── 8          P = 14
///           4 ────┴──── 12
///        2 ─┴─ 6     10 ─┴─ 13
///       1 3   5 7   9  11
class InOrderTree {
 public:
  explicit InOrderTree(int places) : places_(places) {}

  /// −1 for the root.
  int parent(int place) const;

 private:
  int places_;
};

/// Two binary trees over the same P ranks such that no rank has more than two children in both together: what
/// is an inner node in one is a leaf in the other, except rank 0 of an odd number, which has one child in
/// each.
///
/// The second tree is the first one mirrored (P even) or shifted by one (P odd). Every edge has one of two
/// colors, such that the edges from a rank to its parents differ, and so do those from its children: a rank
/// that uses edges of one color in even steps and of the other in odd steps sends and receives one message a
/// step. An edge's `start` is the first step, of the edge's color, after all edges below it were used.
///
/// O(P) to build.
///
/// Reference: Sanders, Speck, Träff, "Two-tree algorithms for full bandwidth broadcast,
/// reduction and scan", Parallel Computing 35(12), 2009.
class DoubleTree {
 public:
  static constexpr int trees = 2;

  /// An edge as seen from one of its ends; peer −1 if there is none.
  struct Edge {
    Rank peer = -1;
    int tree = 0;
    int start = 0;
  };

  explicit DoubleTree(int ranks);

  int ranks() const { return ranks_; }
  /// −1 for the tree's root.
  Rank parent(Rank rank, int tree) const;
  /// The edge of that color to a parent.
  const Edge& up(Rank rank, int color) const { return up_[index_of(rank)][static_cast<std::size_t>(color)]; }
  /// The edge of that color to a child.
  const Edge& down(Rank rank, int color) const {
    return down_[index_of(rank)][static_cast<std::size_t>(color)];
  }
  /// D: how many steps it takes to use every edge once, from the leaves up; 2log₂P − 1 for powers of two
  /// above 1, at most 2⌈log₂P⌉ for others, 0 for one rank.
  int depth() const { return depth_; }

 private:
  using EdgesByColor = std::array<Edge, 2>;

  int ranks_;
  int depth_ = 0;
  std::vector<EdgesByColor> up_;
  std::vector<EdgesByColor> down_;
};

/// All-reduce over two trees at once, each for half of the elements in n segments: up the trees to the sum,
/// then down again.
///
/// Segment k uses an edge in step start + 2k on the way up; the way down is the same backwards.
///
/// P ranks, m bytes: T(n) = (D + 2(n−1))(2α + m/(2n)·(2β+γ)) with DoubleTree's D, where every message waits
/// for both its ends (for two ranks n steps instead of D + 2(n−1)). With the best n that is 2mβ + mγ +
/// 2(D−2)α + 2√(2(D−2)α·m(2β+γ)): beside 2⌈log₂P⌉α + 2mβ, the bytes are the same, the start-ups twice as
/// many, as a rank serves one child after the other, and the root is what pipelining costs. Where segments
/// leave before their receiver is ready (no rendezvous), they can queue before those that it waits for: the
/// event model then takes 0.81 to 1.25 T, SimGrid's up to 1.9 T (algorithms/README.md has the range of
/// sizes).
///
/// Reference: as DoubleTree.
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

/// The n that minimizes the cost above, n² = (D−2)·m(2β+γ)/(8α), between 1 and 512; 1 where α is 0.
int best_double_tree_segments(int depth, double bytes, double start_up_s, double s_per_byte,
                              double reduction_s_per_byte);

}  // namespace starling
