#pragma once

#include <boost/container/small_vector.hpp>

#include "base/fetch.hpp"
#include "sim/first_in_first_out.hpp"
#include "sim/strands/scheduler.hpp"
#include "sim/worker.hpp"

namespace starling {

/// The notifications to a worker that nobody has taken yet.
class NotificationQueue {
 public:
  explicit NotificationQueue(Scheduler& scheduler) : scheduler_(scheduler) {}

  /// Lets every strand go on that waits for one, in the order they came.
  void push(const Notification& notification);
  /// Takes the oldest one; blocks the running strand until there is one.
  Notification pop();
  /// For a stepwise strand: whether there is one to take(); if not, its next step comes when there is.
  bool poll();
  Notification take() { return notifications_.take(); }
  /// Asks for memory that push() will need.
  void prepare() const { fetch(this); }

 private:
  Scheduler& scheduler_;
  FirstInFirstOut<Notification> notifications_;
  boost::container::small_vector<Strand*, 1> waiting_;
};

}  // namespace starling
