#pragma once

#include <cstdint>
#include <string>

#include "algorithms/collectives/schedules/schedule.hpp"
#include "base/numbers/power_of_two.hpp"

namespace starling {

/// A binomial tree over P ranks: numbered from the root, the parent of place v is v without its lowest bit.
class BinomialTree {
 public:
  BinomialTree(int ranks, Rank root) : ranks_(ranks), root_(root), height_(ceil_log2(ranks)) {}

  /// ⌈log₂P⌉: the levels of the tree, and the edges of its root.
  int height() const { return height_; }

  Rank root() const { return root_; }
  /// −1 for the root.
  Rank parent(Rank rank) const;
  /// The level at which `rank` meets its parent: it has children at all levels below (where there are ranks),
  /// the root at all 0 … height−1. height for the root.
  int level(Rank rank) const;
  /// The child of `rank` at a level below its own: −1 if there are too few ranks.
  Rank child(Rank rank, int level) const;

 private:
  int place_of(Rank rank) const { return rank >= root_ ? rank - root_ : rank - root_ + ranks_; }
  Rank rank_of(int place) const { return place + root_ < ranks_ ? place + root_ : place + root_ - ranks_; }

  int ranks_;
  Rank root_;
  int height_;
};

/// Sums on the root: level by level, every rank adds what its children send and sends the sum to its parent.
///
/// ⌈log₂P⌉(α + m(β+γ)). Buffers of other ranks hold partial sums afterwards.
///
/// Reference: Chan, Heimlich, Purkayastha, van de Geijn, "Collective communication: theory, practice, and
/// experience", 2007.
class BinomialReduce final : public Schedule {
 public:
  BinomialReduce(int ranks, std::int64_t count, Rank root) : Schedule(ranks, count), tree_(ranks, root) {}

  std::string name() const override { return "binomial reduce"; }
  int rounds(Rank) const override { return tree_.height(); }
  Round round(Rank rank, int index) const override;

 private:
  BinomialTree tree_;
};

/// Copies the root's data to everyone, the largest subtree first. ⌈log₂P⌉(α + mβ).
///
/// Reference: as for the reduce.
class BinomialBroadcast final : public Schedule {
 public:
  BinomialBroadcast(int ranks, std::int64_t count, Rank root) : Schedule(ranks, count), tree_(ranks, root) {}

  std::string name() const override { return "binomial broadcast"; }
  int rounds(Rank) const override { return tree_.height(); }
  Round round(Rank rank, int index) const override;

 private:
  BinomialTree tree_;
};

}  // namespace starling
