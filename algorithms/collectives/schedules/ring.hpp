#pragma once

#include <cstdint>
#include <string>

#include "algorithms/collectives/schedules/even_partition.hpp"
#include "algorithms/collectives/schedules/schedule.hpp"

namespace starling {

/// One rank's view of a ring of P ranks: the right neighbor of rank r is (r+1) mod P.
class Ring {
 public:
  Ring(Rank rank, int size) : rank_(rank), size_(size) {}

  Rank right() const { return rank_ + 1 == size_ ? 0 : rank_ + 1; }
  Rank left() const { return rank_ == 0 ? size_ - 1 : rank_ - 1; }

  /// The rank `distance` places to the left, 0 ≤ distance ≤ 2P.
  Rank behind(int distance) const {
    int behind = rank_ - distance;
    if (behind < 0) behind += size_;
    if (behind < 0) behind += size_;
    return behind;
  }

 private:
  Rank rank_;
  int size_;
};

/// A ring reduce-scatter, all-gather, or all-reduce, which is the former followed by the latter.
///
/// In step i of the reduce-scatter, rank r sends its partial sum of chunk r−1−i to the right and adds chunk
/// r−2−i from the left; after P−1 steps its own chunk r is complete. In step i of the all-gather, it forwards
/// chunk r−i and receives chunk r−1−i. Chunk numbers are modulo P, chunks those of EvenPartition(count, P).
///
/// P ranks, m bytes: the reduce-scatter costs (P−1)(α + m/P·(β+γ)), the all-gather (P−1)(α + m/P·β), the
/// all-reduce 2(P−1)α + 2(P−1)/P·mβ + (P−1)/P·mγ: bandwidth-optimal, latency linear in P.
///
/// Reference: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH",
/// IJHPCA 19(1), 2005.
class RingSchedule final : public Schedule {
 public:
  enum class Phase { reduce_scatter, allgather, allreduce };

  RingSchedule(Phase phase, int ranks, std::int64_t count)
      : Schedule(ranks, count), phase_(phase), chunks_(count, ranks) {}

  std::string name() const override;
  bool is_ring() const override { return true; }
  int rounds(Rank) const override { return phase_ == Phase::allreduce ? 2 * (ranks() - 1) : ranks() - 1; }
  Round round(Rank rank, int index) const override {
    const Ring ring(rank, ranks());
    const int step = first_step() + index;
    return {.send = {.peer = ring.right(), .chunk = chunks_.chunk(ring.behind(step + 1))},
            .receive = {.peer = ring.left(), .chunk = chunks_.chunk(ring.behind(step + 2))},
            .action = reduces(step, ranks()) ? Round::Action::reduce : Round::Action::copy};
  }

  /// Steps are numbered through both phases, as chunks continue around the ring from one to the other: an
  /// all-gather alone begins with step P−1.
  int first_step() const { return phase_ == Phase::allgather ? ranks() - 1 : 0; }
  /// Whether ranks reduce the chunks that they receive in this step (else they copy them).
  static bool reduces(int step, int ranks) { return step < ranks - 1; }

 private:
  Phase phase_;
  EvenPartition chunks_;
};

}  // namespace starling
