#pragma once

#include <cstdint>
#include <string>

#include "algorithms/collectives/schedules/even_partition.hpp"
#include "algorithms/collectives/schedules/fold.hpp"
#include "algorithms/collectives/schedules/schedule.hpp"

namespace starling {

/// The windows of chunks that a place among Q = 2^k keeps while they halve: Q chunks, then Q/2, … and at last
/// the one with the place's number.
class Halving {
 public:
  Halving(int place, int size) : place_(place), size_(size) {}

  struct Window {
    int first = 0;
    int chunks = 0;
  };

  /// What is left after `steps` halvings.
  Window kept(int steps) const {
    const int chunks = size_ >> steps;
    return {.first = place_ & ~(chunks - 1), .chunks = chunks};
  }
  /// The half that halving number `step` (from 0) gives away.
  Window given(int step) const {
    const int chunks = size_ >> (step + 1);
    return {.first = (place_ & ~(chunks - 1)) ^ chunks, .chunks = chunks};
  }

 private:
  int place_;
  int size_;
};

/// All-reduce by recursive halving, then recursive doubling (Rabenseifner's algorithm): few messages and few
/// bytes.
///
/// In the halving part, step j exchanges half of what is left with the core rank at distance 2^j and adds
/// what comes in; the doubling part goes the same way back. The largest messages go to the nearest rank.
///
/// P ranks, m bytes, Q = 2^⌊log₂P⌋: 2log₂Q·α + 2(Q−1)/Q·mβ + (Q−1)/Q·mγ, plus 2α + m(2β+γ) for folding where
/// P ≠ Q.
///
/// Reference: Rabenseifner, "Optimization of Collective Reduction Operations", ICCS 2004.
class HalvingDoublingAllReduce final : public Schedule {
 public:
  HalvingDoublingAllReduce(int ranks, std::int64_t count)
      : Schedule(ranks, count), fold_(ranks), chunks_(count, fold_.core_size()) {}

  std::string name() const override { return "halving-doubling all-reduce"; }
  int rounds(Rank) const override { return 2 * (fold_.dimensions() + fold_.extra_rounds()); }
  Round round(Rank rank, int index) const override;

 private:
  Fold fold_;
  EvenPartition chunks_;
};

/// Which chunk of EvenPartition(count, P) halving leaves with a rank, for P = 2^k: the one whose number has
/// the rank's k bits in reverse order.
int chunk_left_with(Rank rank, int ranks);

/// One half of the above on its own, for P = 2^k ranks: the reduce-scatter leaves each rank with the sum of
/// the chunk that is left with it, from where the all-gather starts. As in the whole, the largest messages go
/// to the nearest rank. In the reference they go to the farthest one, which would leave chunk r with rank r,
/// but where hosts have several ranks most of the data would go between hosts.
///
/// Reduce-scatter log₂P·α + (P−1)/P·m(β+γ); all-gather log₂P·α + (P−1)/P·mβ.
///
/// Reference: Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005, sections 4.1 and 4.3.
class RecursiveHalvingSchedule final : public Schedule {
 public:
  enum class Phase { reduce_scatter, allgather };

  /// @throws std::invalid_argument unless ranks is a power of two.
  RecursiveHalvingSchedule(Phase phase, int ranks, std::int64_t count);

  std::string name() const override;
  int rounds(Rank) const override { return dimensions_; }
  Round round(Rank rank, int index) const override;

 private:
  Phase phase_;
  int dimensions_;
  EvenPartition chunks_;
};

}  // namespace starling
