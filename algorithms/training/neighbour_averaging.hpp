#pragma once

#include <cstdint>
#include <vector>

#include "sim/worker.hpp"
#include "topologies/mixing_schedule.hpp"

namespace starling {

/// One worker's part in averaging models over a communication graph.
class NeighbourAveraging {
 public:
  /// `like` is a model: what is averaged has its kind and count.
  NeighbourAveraging(Worker& worker, const MixingSchedule& mixing, Buffer like, Tag tag);

  /// Sends `model` to all out-neighbours of iteration t and makes mixed() the sum w_ii·model + Σ_j w_ij·x_j
  /// over its in-neighbours' models x_j of the same iteration, always in the order of in_neighbours().
  ///
  /// `model` must not change until it returns. k neighbours whose messages leave in the order in which they
  /// are taken, all workers at once: α + mβ + mγ + (k−1)·m·max(β, γ).
  void average(std::int64_t iteration, Buffer model);

  Buffer mixed() const { return mixed_; }
  /// How many models that is the sum of.
  int members() const { return static_cast<int>(sources_.size()) + 1; }

 private:
  /// Asks for the neighbours and weights of an iteration; once, if they never change.
  void look_up(std::int64_t iteration);
  Buffer inbox(std::size_t neighbour);

  Worker& worker_;
  const MixingSchedule& mixing_;
  Tag tag_;
  bool is_looked_up_ = false;
  std::vector<MixingNeighbour> sources_;
  std::vector<MixingNeighbour> destinations_;
  double own_weight_ = 0;
  OwnedBuffer mixed_;
  std::vector<OwnedBuffer> inboxes_;  // as many as there were in-neighbours at most
  std::vector<Request> receives_;
  std::vector<Request> sends_;
};

}  // namespace starling
