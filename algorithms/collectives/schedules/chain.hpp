#pragma once

#include <cstdint>
#include <string>

#include "algorithms/collectives/schedules/even_partition.hpp"
#include "algorithms/collectives/schedules/schedule.hpp"

namespace starling {

/// Copies rank 0's data down the chain 0 → 1 → … → P−1 in n even segments; a rank passes one on while it
/// receives the next. A segment is sent and received in rounds of the same number.
///
/// (P−1)α + (n + P − 2)·mβ/n: about mβ for many segments, whatever P. What NCCL's broadcast does along its
/// ring.
class ChainBroadcast final : public Schedule {
 public:
  ChainBroadcast(int ranks, std::int64_t count, int segments)
      : Schedule(ranks, count), segments_(count, segments) {}

  std::string name() const override { return "chain broadcast"; }
  int rounds(Rank rank) const override;
  Round round(Rank rank, int index) const override;

 private:
  EvenPartition segments_;
};

}  // namespace starling
