#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/collectives/schedules/schedule.hpp"

namespace starling {

/// The disjoint groups of S out of P ranks (both powers of two) that average in iteration t. A rank's group
/// are the ranks that are reached from it by flipping the bits (t·log₂S + r) mod log₂P, r = 0 … log₂S−1.
///
/// With S = √P, the data of one rank reaches all ranks in two iterations.
///
/// Reference: Li et al., "Breaking (Global) Barriers in Parallel Stochastic Optimization with Wait-Avoiding
/// Group Averaging", TPDS 2021, Figure 2 (its Algorithm 1 misprints the mask).
class Butterfly {
 public:
  /// @throws std::invalid_argument unless ranks and group_size are powers of two, and 1 ≤ group_size ≤ ranks.
  /// @throws InvariantError if iteration < 0.
  Butterfly(int ranks, int group_size, std::int64_t iteration);

  int ranks() const { return ranks_; }
  int group_size() const { return 1 << phases(); }
  int phases() const { return static_cast<int>(dimensions_.size()); }
  /// The bit of the rank number that is flipped in each phase.
  const std::vector<int>& dimensions() const { return dimensions_; }

  Rank partner(Rank rank, int phase) const {
    return rank ^ (1 << dimensions_[static_cast<std::size_t>(phase)]);
  }
  /// The ranks of this rank's group, ascending.
  std::vector<Rank> group_of(Rank rank) const;

 private:
  int ranks_;
  std::vector<int> dimensions_;
};

/// All-reduce within each of the butterfly's groups by recursive doubling: in each phase partners exchange
/// their whole buffers.
///
/// Costs log₂S·(α + m(β+γ)).
///
/// Reference: as for Butterfly.
class ButterflyGroupAllReduce final : public Schedule {
 public:
  ButterflyGroupAllReduce(Butterfly butterfly, std::int64_t count)
      : Schedule(butterfly.ranks(), count), butterfly_(std::move(butterfly)) {}

  std::string name() const override { return "butterfly group all-reduce"; }
  int rounds(Rank) const override { return butterfly_.phases(); }
  Round round(Rank rank, int index) const override;

 private:
  Butterfly butterfly_;
};

}  // namespace starling
