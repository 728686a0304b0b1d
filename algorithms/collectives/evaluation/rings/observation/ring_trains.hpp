#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "algorithms/collectives/evaluation/rings/observation/train.hpp"
#include "algorithms/collectives/evaluation/rings/ring_evaluator.hpp"

namespace starling {

/// All messages of an evaluated ring, combined into few trains. Computes the ring again, as RingEvaluator
/// did: while ranks form runs, in O(runs) per step and O(1) per train; else in a few ns per message.
class RingTrains {
 public:
  using See = std::function<void(std::size_t rank, const Train& train)>;

  /// `rings` must outlive this object.
  explicit RingTrains(const RingEvaluator& rings) : rings_(rings) {}

  /// Calls see() with the trains of all ranks; the trains of each rank are in order of time. Empty chunks
  /// belong to no train.
  void go_through(const EvaluatedRing& ring, const See& see) const;

 private:
  std::vector<RankState> go_through_each(const EvaluatedRing& ring, std::vector<RankState> ranks, int step,
                                         int end_step, const See& see) const;

  const RingEvaluator& rings_;
};

}  // namespace starling
