#include "sim/simulated/message.hpp"

#include <utility>

#include "sim/simulated/simulated_worker.hpp"

namespace starling {

void Receive::happen() { worker->complete(*this); }
void Send::happen() { worker->complete(*this); }

void Message::NotificationStep::happen() {
  if (message.is_here)
    message.receiver->deliver_notification(message);
  else
    message.sender->launch(message, *message.receiver, message.data_bytes);
}

void Message::arrived() {
  if (stage == Stage::answer) {
    stage = Stage::data;
    sender->launch(*this, *receiver, data_bytes);
    return;
  }
  is_here = true;
  if (stage == Stage::data) left();
  if (is_notification)
    receiver->notice(notification_step);
  else if (receive)
    go_on();
}

void Message::left() {
  if (send) sender->notice(*std::exchange(send, nullptr));
}

void Message::match(Receive& with) {
  receive = &with;
  if (is_here) go_on();
}

void Message::go_on() {
  if (stage == Stage::data) return receiver->deliver(*this, *receive);
  stage = Stage::answer;
  receiver->launch(*this, *sender, 0);
}

}  // namespace starling
