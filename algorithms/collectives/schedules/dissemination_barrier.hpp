#pragma once

#include <cstdint>
#include <string>

#include "algorithms/collectives/schedules/schedule.hpp"
#include "base/power_of_two.hpp"

namespace starling {

/// In round k rank r tells r+2^k that it and everyone it heard of are here, and hears it from r−2^k; all
/// modulo P.
///
/// ⌈log₂P⌉α. Works on one element whose value is meaningless; barrier() gives it zero bytes.
///
/// Reference: Hensgen, Finkel, Manber, "Two algorithms for barrier synchronization", IJPP 17(1), 1988.
class DisseminationBarrier final : public Schedule {
 public:
  explicit DisseminationBarrier(int ranks) : ranks_(ranks) {}

  std::string name() const override { return "dissemination barrier"; }
  int ranks() const override { return ranks_; }
  std::int64_t count() const override { return 1; }
  int rounds(Rank) const override { return ceil_log2(ranks_); }
  Round round(Rank rank, int index) const override;

 private:
  int ranks_;
};

}  // namespace starling
