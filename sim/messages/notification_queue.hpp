#pragma once

#include <boost/container/small_vector.hpp>

#include "base/fetch.hpp"
#include "sim/first_in_first_out.hpp"
#include "sim/strands/scheduler.hpp"
#include "sim/worker.hpp"

namespace starling {

/// The notifications to a worker that have not been taken yet.
class NotificationQueue {
 public:
  explicit NotificationQueue(Scheduler& scheduler) : scheduler_(scheduler) {}

  /// Adds a notification and makes every strand ready that waits for one, in the order in which they began
  /// to wait.
  void push(const Notification& notification);
  /// Removes and returns the oldest notification; blocks the running strand until there is one.
  Notification pop();
  /// For a stepwise strand: returns whether there is a notification to take(). If not, the strand's next
  /// step runs once there is one.
  bool poll();
  Notification take() { return notifications_.take(); }
  /// Prefetches the memory that push() will need.
  void prepare() const { fetch(this); }

 private:
  Scheduler& scheduler_;
  FirstInFirstOut<Notification> notifications_;
  boost::container::small_vector<Strand*, 1> waiting_;
};

}  // namespace starling
