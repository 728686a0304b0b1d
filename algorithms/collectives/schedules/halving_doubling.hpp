#pragma once

#include <cstdint>
#include <string>

#include "algorithms/collectives/schedules/even_partition.hpp"
#include "algorithms/collectives/schedules/fold.hpp"
#include "algorithms/collectives/schedules/schedule.hpp"

namespace starling {

/// The window of chunks that place v among Q = 2^k places keeps in recursive halving: Q chunks, then Q/2, …,
/// and finally chunk v alone.
class Halving {
 public:
  Halving(int place, int size) : place_(place), size_(size) {}

  struct Window {
    int first = 0;
    int chunks = 0;
  };

  /// The window kept after `steps` halvings.
  Window kept(int steps) const {
    const int chunks = size_ >> steps;
    return {.first = place_ & ~(chunks - 1), .chunks = chunks};
  }
  /// The half of the window that is given away in halving number `step`, counted from 0.
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
/// In step j of the halving phase, a core rank exchanges half of its current window with the core rank at
/// distance 2^j and adds the half that it receives; the doubling phase reverses these steps. The largest
/// messages go to the nearest rank.
///
/// P ranks, m bytes, Q = 2^⌊log₂P⌋: 2log₂Q·α + 2(Q−1)/Q·mβ + (Q−1)/Q·mγ, plus 2α + m(2β+γ) for folding if
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

/// The chunk of EvenPartition(count, P) that a rank owns after recursive halving among P = 2^k ranks: the
/// chunk whose number has the rank's k bits in reverse order.
int chunk_left_with(Rank rank, int ranks);

/// One phase of HalvingDoublingAllReduce on its own, for P = 2^k ranks: the reduce-scatter leaves each rank
/// with the sum of its chunk (chunk_left_with), from which the all-gather starts. As in the all-reduce, the
/// largest messages go to the nearest rank. In the reference they go to the farthest rank: this leaves
/// chunk r on rank r, but sends most of the data between hosts if hosts have several ranks.
///
/// The reduce-scatter costs log₂P·α + (P−1)/P·m(β+γ), the all-gather log₂P·α + (P−1)/P·mβ.
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
