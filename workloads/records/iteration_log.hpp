#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "workloads/records/large_memory.hpp"

namespace starling {

/// How one worker spent one iteration, in seconds. Delay, forward, backward, update and blocked time sum to
/// the time since the end of the worker's preceding iteration; blocked is all the time that its main strand
/// waited.
struct IterationRecord {
  double end_s = 0;    // when it ended
  double ready_s = 0;  // when its backward pass, and so all of its own gradients, were complete
  double delay_s = 0;  // imbalance before the forward pass
  double forward_s = 0;
  double backward_s = 0;
  double update_s = 0;
  double blocked_s = 0;
  /// The time that delay, forward, backward and update would take together if nothing slowed them down.
  double planned_s = 0;
  /// The part of blocked_s that was spent waiting for slower workers rather than for communication; filled in
  /// after the run.
  double imbalance_wait_s = 0;

  /// The time that the worker did not wait.
  double busy_s() const { return delay_s + forward_s + backward_s + update_s; }
};

/// The iterations of every worker of a run, in order: 72 B each. A log above `most_in_memory` bytes is kept
/// in a file. If workers are read one after the other, at most half as many bytes, and one page per worker,
/// of such a log are in memory at a time.
class IterationLog {
 public:
  /// `iterations` is the expected number of iterations of each worker. If there are more, the log is copied
  /// into a larger one.
  /// @throws std::bad_alloc, std::runtime_error if there is no room for them.
  explicit IterationLog(int workers, std::int64_t iterations = 0,
                        std::size_t most_in_memory = most_bytes_in_memory)
      : counts_(static_cast<std::size_t>(workers)), most_in_memory_(most_in_memory) {
    reserve(static_cast<std::size_t>(iterations));
  }

  /// From now on drops iterations beyond the number that the log has room for.
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

  /// A reader that turns to another worker is assumed to have read all of it.
  void note_reader(Rank rank) const {
    if (rank == reader_) return;
    reader_ = rank;
    memory_.touched(counts_[static_cast<std::size_t>(rank)] * sizeof(IterationRecord));
  }

  void reserve(std::size_t iterations);

  std::vector<std::size_t> counts_;
  std::size_t capacity_ = 0;  // records that there is room for, per worker
  bool drops_further_ = false;
  std::size_t most_in_memory_;
  mutable LargeMemory memory_;
  mutable Rank reader_ = -1;
};

/// The times at which iterations ended, of all workers together, in ascending order.
std::vector<double> ends_in_order_s(const IterationLog& log);

/// The number of iterations that the worker has ended at `time_s`.
std::size_t iterations_ended(const IterationLog& log, Rank rank, double time_s);

}  // namespace starling
