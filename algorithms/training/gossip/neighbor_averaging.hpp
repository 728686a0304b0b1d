#pragma once

#include <cstdint>
#include <vector>

#include "sim/worker.hpp"
#include "topologies/graphs/mixing_schedule.hpp"

namespace starling {

/// One worker's part in averaging models over a communication graph.
class NeighborAveraging {
 public:
  /// `like` is a model: what is averaged has its kind and count.
  NeighborAveraging(Worker& worker, const MixingSchedule& mixing, Buffer like, Tag tag);

  /// Sends `model` to all out-neighbors of iteration t and makes mixed() the sum w_ii·model + Σ_j w_ij·x_j
  /// over its in-neighbors' models x_j of the same iteration, always in the order of in_neighbors().
  ///
  /// `model` must not change until it returns. k neighbors whose messages leave in the order in which they
  /// are taken, all workers at once: α + mβ + mγ + (k−1)·m·max(β, γ).
  void average(std::int64_t iteration, Buffer model);

  Buffer mixed() const { return mixed_; }
  /// How many models that is the sum of, besides this worker's own.
  int neighbors() const { return static_cast<int>(sources_.size()); }
  /// Whose they are.
  std::vector<Rank> peers() const;

 private:
  /// Asks for the neighbors and weights of an iteration; once, if they never change.
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
  std::vector<OwnedBuffer> inboxes_;  // as many as there were in-neighbors at most
  std::vector<Request> receives_;
  std::vector<Request> sends_;
};

}  // namespace starling
