#pragma once

#include <cstdint>
#include <string>

#include "algorithms/collectives/schedules/schedule.hpp"
#include "base/numbers/power_of_two.hpp"

namespace starling {

/// A binomial tree over P ranks. Place v = (rank − root) mod P; the parent of place v is v with its lowest
/// set bit cleared.
class BinomialTree {
 public:
  BinomialTree(int ranks, Rank root) : ranks_(ranks), root_(root), height_(ceil_log2(ranks)) {}

  /// ⌈log₂P⌉: the number of levels of the tree, and of children of its root.
  int height() const { return height_; }

  Rank root() const { return root_; }
  /// The parent of `rank`; −1 for the root.
  Rank parent(Rank rank) const;
  /// The level of the edge from `rank` to its parent; height() for the root. A rank has one child at each
  /// lower level, as far as there are enough ranks.
  int level(Rank rank) const;
  /// The child of `rank` at `level`, which must be below its own level; −1 if there is none.
  Rank child(Rank rank, int level) const;

 private:
  int place_of(Rank rank) const { return rank >= root_ ? rank - root_ : rank - root_ + ranks_; }
  Rank rank_of(int place) const { return place + root_ < ranks_ ? place + root_ : place + root_ - ranks_; }

  int ranks_;
  Rank root_;
  int height_;
};

/// Reduce to the root: level by level, every rank adds the data of its children and sends the sum to its
/// parent.
///
/// Costs ⌈log₂P⌉(α + m(β+γ)). The buffers of the other ranks hold partial sums afterwards.
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

/// Copies the root's data to all ranks, largest subtree first. Costs ⌈log₂P⌉(α + mβ).
///
/// Reference: as for BinomialReduce.
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
