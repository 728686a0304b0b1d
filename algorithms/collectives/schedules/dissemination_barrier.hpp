#pragma once

#include <string>

#include "algorithms/collectives/schedules/schedule.hpp"
#include "base/numbers/power_of_two.hpp"

namespace starling {

/// In round k rank r tells r+2^k that it and everyone it heard of are here, and hears it from r−2^k; all
/// modulo P.
///
/// ⌈log₂P⌉α. Works on one element whose value is meaningless; barrier() gives it zero bytes.
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
