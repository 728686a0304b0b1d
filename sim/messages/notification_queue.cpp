#include "sim/messages/notification_queue.hpp"

namespace starling {

void NotificationQueue::push(const Notification& notification) {
  notifications_.push(notification);
  for (Strand* strand : waiting_) scheduler_.make_ready(*strand);
  waiting_.clear();
}

Notification NotificationQueue::pop() {
  while (notifications_.is_empty()) {
    waiting_.push_back(&scheduler_.current());
    scheduler_.block({.what = WaitsFor::What::notification});
  }
  return notifications_.take();
}

bool NotificationQueue::poll() {
  if (!notifications_.is_empty()) return true;
  waiting_.push_back(&scheduler_.current());
  scheduler_.waits_next({.what = WaitsFor::What::notification});
  return false;
}

}  // namespace starling
