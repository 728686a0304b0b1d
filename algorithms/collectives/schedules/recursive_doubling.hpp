#pragma once

#include <cstdint>
#include <string>

#include "algorithms/collectives/schedules/fold.hpp"
#include "algorithms/collectives/schedules/schedule.hpp"

namespace starling {

/// All-reduce in which ranks exchange their whole buffers with the rank at distance 1, 2, 4, …: the fewest
/// messages, best for short vectors.
///
/// P ranks, m bytes, Q = 2^⌊log₂P⌋: log₂Q·(α + m(β+γ)), plus 2α + m(2β+γ) for folding if P ≠ Q.
///
/// Reference: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH",
/// IJHPCA 19(1), 2005.
class RecursiveDoublingAllReduce final : public Schedule {
 public:
  RecursiveDoublingAllReduce(int ranks, std::int64_t count) : Schedule(ranks, count), fold_(ranks) {}

  std::string name() const override { return "recursive doubling all-reduce"; }
  int rounds(Rank) const override { return fold_.dimensions() + 2 * fold_.extra_rounds(); }
  Round round(Rank rank, int index) const override;

 private:
  Fold fold_;
};

}  // namespace starling
