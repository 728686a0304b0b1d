#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "algorithms/collectives/evaluation/rings/observation/train.hpp"
#include "algorithms/collectives/evaluation/rings/ring_evaluator.hpp"

namespace starling {

/// All messages of an evaluated ring, as few trains. Computes the ring again, as RingEvaluator did: where
/// ranks are kept as runs, in O(runs) a step and O(1) a train; else in some ns a message.
class RingTrains {
 public:
  using See = std::function<void(std::size_t rank, const Train& train)>;

  /// `rings` must outlive this object.
  explicit RingTrains(const RingEvaluator& rings) : rings_(rings) {}

  /// Calls see() with the trains of all ranks, each rank's in order. Empty chunks are in none.
  void go_through(const EvaluatedRing& ring, const See& see) const;

 private:
  std::vector<RankState> go_through_each(const EvaluatedRing& ring, std::vector<RankState> ranks, int step,
                                         int end_step, const See& see) const;

  const RingEvaluator& rings_;
};

}  // namespace starling
