#pragma once

#include <cstdint>
#include <vector>

#include "sim/worker.hpp"
#include "topologies/graphs/mixing_schedule.hpp"

namespace starling {

/// One worker's model x and weight w in push-sum. Σ x and Σ w, over all workers and all messages in flight,
/// never change, and on every worker x/w tends to Σ x/Σ w: the mean of the models, weighted by their initial
/// weights.
class PushSum {
 public:
  /// Starts from x = `weight`·`model` and w = `weight`.
  PushSum(Worker& worker, const MixingSchedule& mixing, Buffer model, Tag tag, double weight = 1);

  /// x, a model.
  Buffer model() const { return state_.first(state_.view().count() - 1); }
  /// w; always 1 if models are sized.
  double weight() const;

  /// Sends w_ji·(x, w) to all out-neighbors j of exchange k, keeps w_ii·(x, w), and posts receives for the
  /// in-neighbors' messages. A message is one element longer than a model. The preceding exchange must be
  /// complete.
  void push(std::int64_t exchange);
  /// Waits until the exchange under way is complete, and adds what the in-neighbors sent in it. Returns the
  /// number of these in-neighbors; 0, at once, if no exchange is under way.
  int complete();

 private:
  void make_buffers(std::vector<OwnedBuffer>& buffers, std::size_t count);

  Worker& worker_;
  const MixingSchedule& mixing_;
  Tag tag_;
  OwnedBuffer state_;                    // x, followed by w
  std::vector<MixingNeighbor> sources_;  // of the exchange under way
  std::vector<MixingNeighbor> destinations_;
  std::vector<OwnedBuffer> outboxes_;
  std::vector<OwnedBuffer> inboxes_;
  std::vector<Request> sends_;
  std::vector<Request> receives_;
};

}  // namespace starling
