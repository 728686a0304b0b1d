#pragma once

#include <cstdint>
#include <string>

#include "algorithms/collectives/schedules/even_partition.hpp"
#include "algorithms/collectives/schedules/schedule.hpp"

namespace starling {

/// Pipelined broadcast: copies rank 0's data down the chain 0 → 1 → … → P−1 in n even segments; a rank
/// forwards one segment while it receives the next. A segment is sent and received in the same round number.
///
/// Costs (P−1)α + (n + P − 2)·mβ/n, which is about mβ for many segments, whatever P is. NCCL's broadcast
/// works this way along its ring.
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
