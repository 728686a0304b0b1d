#pragma once

#include <cstdint>
#include <limits>

#include "base/errors.hpp"
#include "sim/event.hpp"

namespace starling {

/// A counter that only grows. One strand at a time may wait for a value; other strands of the same worker
/// increase the counter.
class Progress {
 public:
  /// `name` is what a DeadlockError calls the counter; the string must outlive it (a literal does).
  Progress(Worker& worker, const char* name) : reached_(worker, name) {}

  std::int64_t count() const { return count_; }

  void add(std::int64_t steps = 1) {
    count_ += steps;
    if (count_ >= awaited_) reached_.set();
  }

  /// Returns when the count is `target` or more; at once if it already is.
  void wait_for(std::int64_t target) {
    if (count_ >= target) return;
    STARLING_INVARIANT(awaited_ == nobody_waits);
    awaited_ = target;
    reached_.reset();
    reached_.wait();
    awaited_ = nobody_waits;
  }

 private:
  static constexpr std::int64_t nobody_waits = std::numeric_limits<std::int64_t>::max();

  std::int64_t count_ = 0;
  std::int64_t awaited_ = nobody_waits;
  Event reached_;
};

}  // namespace starling
