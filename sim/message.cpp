#include "sim/message.hpp"

#include <utility>

#include "sim/simulated_worker.hpp"

namespace starling {

void Receive::happen() { worker->complete(*this); }

void Message::arrived() {
  if (stage == Stage::answer) {
    stage = Stage::data;
    sender->launch(*this, *receiver, data_bytes);
    return;
  }
  is_here = true;
  if (send && stage == Stage::data) sender->complete(*std::exchange(send, nullptr));
  if (is_notification)
    receiver->deliver_notification(*this);
  else if (receive)
    go_on();
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
