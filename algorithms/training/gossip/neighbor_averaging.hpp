#pragma once

#include <cstdint>
#include <vector>

#include "sim/worker.hpp"
#include "topologies/graphs/mixing_schedule.hpp"

namespace starling {

/// One worker's part in averaging models, or one bucket of them, over a communication graph.
class NeighborAveraging {
 public:
  /// Models to average have as many elements as `like`, and are real if it is.
  NeighborAveraging(Worker& worker, const MixingSchedule& mixing, Buffer like, Tag tag);

  /// Sends `model` to all out-neighbors of iteration t and makes mixed() the sum w_ii·model + Σ_j w_ij·x_j
  /// over the in-neighbors' models x_j of the same iteration, always in the order of in_neighbors().
  ///
  /// `model` must not change before this returns. If all k neighbors' models are sent in the order in which
  /// they are taken, and all workers begin at once, it takes α + mβ + mγ + (k−1)·m·max(β, γ).
  void average(std::int64_t iteration, Buffer model);

  Buffer mixed() const { return mixed_; }
  /// The number of neighbors' models in that sum.
  int neighbors() const { return static_cast<int>(sources_.size()); }
  /// The ranks of these neighbors.
  std::vector<Rank> peers() const;

 private:
  /// Looks up the neighbors and weights of an iteration; only once if they never change.
  void look_up(std::int64_t iteration);
  Buffer inbox(std::size_t neighbor);

  Worker& worker_;
  const MixingSchedule& mixing_;
  Tag tag_;
  bool is_looked_up_ = false;
  std::vector<MixingNeighbor> sources_;
  std::vector<MixingNeighbor> destinations_;
  double own_weight_ = 0;
  OwnedBuffer mixed_;
  std::vector<OwnedBuffer> inboxes_;  // one per in-neighbor, for the most there have been
  std::vector<Request> receives_;
  std::vector<Request> sends_;
};

}  // namespace starling
