#pragma once

#include <string>

#include "algorithms/collectives/schedules/schedule.hpp"
#include "base/numbers/power_of_two.hpp"

namespace starling {

/// Barrier in ⌈log₂P⌉ rounds. In round k, rank r signals to rank r+2^k (mod P) that it and all ranks it has
/// heard from have entered the barrier, and receives the same signal from rank r−2^k (mod P).
///
/// Costs ⌈log₂P⌉α. Its buffer is one element without meaning, to which barrier() gives zero bytes.
///
/// Reference: Hensgen, Finkel, Manber, "Two algorithms for barrier synchronization", IJPP 17(1), 1988.
class DisseminationBarrier final : public Schedule {
 public:
  explicit DisseminationBarrier(int ranks) : Schedule(ranks, 1) {}

  std::string name() const override { return "dissemination barrier"; }
  int rounds(Rank) const override { return ceil_log2(ranks()); }
  Round round(Rank rank, int index) const override;
};

}  // namespace starling
