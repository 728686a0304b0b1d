#include "sim/messages/notification_queue.hpp"

#include <utility>

namespace starling {

void NotificationQueue::push(const Notification& notification) {
  notifications_.push_back(notification);
  for (Strand* strand : std::exchange(waiting_, {})) scheduler_.make_ready(*strand);
}

Notification NotificationQueue::pop() {
  while (notifications_.empty()) {
    waiting_.push_back(&scheduler_.current());
    scheduler_.block({.what = WaitsFor::What::notification});
  }
  const Notification notification = notifications_.front();
  notifications_.pop_front();
  return notification;
}

}  // namespace starling
