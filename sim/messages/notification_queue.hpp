#pragma once

#include <deque>
#include <vector>

#include "sim/scheduler.hpp"
#include "sim/worker.hpp"

namespace starling {

/// The notifications to a worker that nobody has taken yet.
class NotificationQueue {
 public:
  explicit NotificationQueue(Scheduler& scheduler) : scheduler_(scheduler) {}

  /// Lets every strand go on that waits for one, in the order they came.
  void push(const Notification& notification);
  /// The oldest; blocks the running strand until there is one.
  Notification pop();

 private:
  Scheduler& scheduler_;
  std::deque<Notification> notifications_;
  std::vector<Strand*> waiting_;
};

}  // namespace starling
