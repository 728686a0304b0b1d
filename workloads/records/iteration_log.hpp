#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace starling {

/// How one worker spent one iteration. Times in seconds; the parts sum to end_s minus the previous
/// iteration's end_s: delay + forward + backward + update + blocked, where blocked is all the time its main
/// strand waited.
struct IterationRecord {
  double end_s = 0;    // point in time
  double ready_s = 0;  // point in time at which its own work on the gradients (the backward pass) ended
  double delay_s = 0;  // injected before the forward pass
  double forward_s = 0;
  double backward_s = 0;
  double update_s = 0;
  double blocked_s = 0;
  /// How long delay, forward, backward and update were to take, where nothing slows them down.
  double planned_s = 0;
  /// The part of blocked_s that is waiting for slower workers rather than for communication; known only after
  /// the run.
  double imbalance_wait_s = 0;
};

/// The iterations of every worker of a run, in order.
class IterationLog {
 public:
  explicit IterationLog(int workers) : records_(static_cast<std::size_t>(workers)) {}

  void add(Rank rank, const IterationRecord& record) {
    records_[static_cast<std::size_t>(rank)].push_back(record);
  }
  int workers() const { return static_cast<int>(records_.size()); }
  std::vector<IterationRecord>& of(Rank rank) { return records_[static_cast<std::size_t>(rank)]; }
  const std::vector<IterationRecord>& of(Rank rank) const { return records_[static_cast<std::size_t>(rank)]; }

 private:
  std::vector<std::vector<IterationRecord>> records_;
};

}  // namespace starling
