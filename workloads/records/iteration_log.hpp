#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "workloads/records/large_memory.hpp"

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

  /// All but waiting.
  double busy_s() const { return delay_s + forward_s + backward_s + update_s; }
};

/// The iterations of every worker of a run, in order: 72 B each. A log above `most_in_memory` bytes lies on
/// disk, of which at most half as much, and a page for each worker, is in memory at a time if workers are
/// read one after the other.
class IterationLog {
 public:
  /// `iterations` is how many each worker will have; if it has more, the log is copied into a larger one.
  /// @throws std::bad_alloc, std::runtime_error if there is no room for them.
  explicit IterationLog(int workers, std::int64_t iterations = 0,
                        std::size_t most_in_memory = most_bytes_in_memory)
      : counts_(static_cast<std::size_t>(workers)), most_in_memory_(most_in_memory) {
    reserve(static_cast<std::size_t>(iterations));
  }

  /// From now on keeps no more iterations of each worker than the log was made for.
  void drop_further() { drops_further_ = true; }

  void add(Rank rank, const IterationRecord& record) {
    std::size_t& count = counts_[static_cast<std::size_t>(rank)];
    if (count == capacity_) {
      if (drops_further_) return;
      reserve(std::max<std::size_t>(1, 2 * capacity_));
    }
    first_of(rank)[count++] = record;
    memory_.touched(sizeof(IterationRecord));
  }
  int workers() const { return static_cast<int>(counts_.size()); }
  bool is_on_disk() const { return memory_.is_on_disk(); }

  /// Valid until the next add().
  std::span<IterationRecord> of(Rank rank) {
    note_reader(rank);
    return {first_of(rank), counts_[static_cast<std::size_t>(rank)]};
  }
  std::span<const IterationRecord> of(Rank rank) const {
    note_reader(rank);
    return {first_of(rank), counts_[static_cast<std::size_t>(rank)]};
  }

 private:
  IterationRecord* first_of(Rank rank) const {
    return static_cast<IterationRecord*>(memory_.data()) + static_cast<std::size_t>(rank) * capacity_;
  }

  /// Who goes on to another worker has read all of it.
  void note_reader(Rank rank) const {
    if (rank == reader_) return;
    reader_ = rank;
    memory_.touched(counts_[static_cast<std::size_t>(rank)] * sizeof(IterationRecord));
  }

  void reserve(std::size_t iterations);

  std::vector<std::size_t> counts_;
  std::size_t capacity_ = 0;  // records of each worker
  bool drops_further_ = false;
  std::size_t most_in_memory_;
  mutable LargeMemory memory_;
  mutable Rank reader_ = -1;
};

/// When all workers ended all iterations, in order.
std::vector<double> ends_in_order_s(const IterationLog& log);

/// How many iterations the worker has ended until then.
std::size_t iterations_ended(const IterationLog& log, Rank rank, double time_s);

}  // namespace starling
