#pragma once

#include "topologies/mixing_schedule.hpp"

namespace starling {

/// The directed exponential graph of stochastic gradient push: in exchange k a worker keeps 1/(n+1) and sends
/// as much to the n workers at distances 2^((kn + j) mod K), j = 0 … n−1, where K = ⌈log₂P⌉ is the number of
/// powers of two below P.
///
/// Doubly stochastic, so push-sum weights are 1 between exchanges. Reference: Assran, Loizou, Ballas, Rabbat,
/// "Stochastic gradient push for distributed deep learning", ICML 2019.
class DirectedExponential final : public MixingSchedule {
 public:
  /// Nobody sends where there is one worker. @throws std::invalid_argument unless 1 ≤ neighbours ≤ K.
  DirectedExponential(int ranks, int neighbours);

  int ranks() const override { return ranks_; }
  std::int64_t period() const override;
  double own_weight(Rank rank, std::int64_t iteration) const override;
  std::vector<MixingNeighbour> in_neighbours(Rank rank, std::int64_t iteration) const override;
  std::vector<MixingNeighbour> out_neighbours(Rank rank, std::int64_t iteration) const override;

 private:
  /// 2^((kn + j) mod K) for all j.
  std::vector<MixingNeighbour> at_distances(Rank rank, std::int64_t iteration, bool forward) const;

  int ranks_;
  int neighbours_;
  int powers_;
};

}  // namespace starling
