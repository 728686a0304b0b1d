#pragma once

#include <cstdint>
#include <vector>

#include "sim/worker.hpp"
#include "topologies/graphs/mixing_schedule.hpp"

namespace starling {

/// One worker's model x and weight w in push-sum: Σ x and Σ w over all workers and all messages under way
/// never change, and x/w tends to Σ x/Σ w on every worker: the mean of the models, by what each weighed at
/// first.
///
/// Reference: Kempe, Dobra, Gehrke, "Gossip-based computation of aggregate information", FOCS 2003.
class PushSum {
 public:
  /// Begins with x = `weight`·`model` and w = `weight`.
  PushSum(Worker& worker, const MixingSchedule& mixing, Buffer model, Tag tag, double weight = 1);

  /// x, a model.
  Buffer model() const { return state_.first(state_.view().count() - 1); }
  /// w; 1 if models are sized.
  double weight() const;

  /// Sends w_ji·(x, w) to all out-neighbors j of exchange k, keeps w_ii·(x, w), and asks for what the
  /// in-neighbors send. A message is one element longer than a model. The exchange before must be complete.
  void push(std::int64_t exchange);
  /// Waits until the exchange under way is complete, and adds what the in-neighbors sent in it; does nothing
  /// if there is none. Returns how many in-neighbors there were.
  int complete();

 private:
  void make_buffers(std::vector<OwnedBuffer>& buffers, std::size_t count);

  Worker& worker_;
  const MixingSchedule& mixing_;
  Tag tag_;
  OwnedBuffer state_;                    // x and, behind it, w
  std::vector<MixingNeighbor> sources_;  // of the exchange under way
  std::vector<MixingNeighbor> destinations_;
  std::vector<OwnedBuffer> outboxes_;
  std::vector<OwnedBuffer> inboxes_;
  std::vector<Request> sends_;
  std::vector<Request> receives_;
};

}  // namespace starling
