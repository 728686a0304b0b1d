#include "sim/simulated/endpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "sim/random.hpp"

namespace starling {
namespace {

void fail(Receive& receive, std::string error) {
  receive.error = std::make_unique<std::string>(std::move(error));
}

}  // namespace

MessageSystem::MessageSystem(Scheduler& the_scheduler, NetworkModel& the_network,
                             const MessageCosts& the_costs, const Routes& routes)
    : scheduler(the_scheduler),
      network(the_network),
      costs(the_costs),
      protocols(the_costs.protocols, routes) {}

void Receive::happen() {
  if (is_communication) receiver->end_communication();
  complete(receiver->scheduler());
}
void Send::happen() { complete(sender->scheduler()); }

void Message::NotificationStep::happen() {
  if (message.is_here)
    message.receiver->deliver_notification(message);
  else
    message.sender->launch(message, *message.receiver, message.wire.bytes);
}

void Message::arrived() {
  if (stage == Stage::answer) {
    stage = Stage::data;
    sender->launch(*this, *receiver, wire.bytes);
    return;
  }
  is_here = true;
  if (stage == Stage::data) left();
  if (is_notification)
    receiver->notice(notification_step, wire.latency_s);
  else if (receive)
    go_on();
}

void Message::left() {
  if (std::exchange(is_communication, false)) sender->end_communication();
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

void Endpoint::pay_overhead() {
  if (overhead_s() > 0) scheduler().sleep_until(book_overhead());
}

double Endpoint::book_reduction(Buffer into, Buffer from) {
  add_elements(into, from);
  return reduction_unit_.book(now(), into.bytes() * system_.costs.reduction_s_per_byte);
}

Message& Endpoint::new_message(Rank destination, double bytes) {
  Message& message = system_.messages.take();
  message.receive = nullptr;
  message.send = nullptr;
  message.stage = Message::Stage::data;
  message.is_here = false;
  message.is_notification = false;
  message.is_communication = false;
  message.has_data = false;
  message.is_message = true;
  message.peer = rank_;
  message.data_bytes = bytes;
  message.sender = this;
  message.receiver = &system_.endpoints[static_cast<std::size_t>(destination)];
  message.wire = destination == rank_ ? ProtocolChoice::Wire{.bytes = bytes}
                                      : system_.protocols.wire(bytes, host_ == message.receiver->host_);
  ++system_.statistics.messages;
  system_.statistics.bytes += bytes;
  return message;
}

void Endpoint::launch(Message& message, const Endpoint& to, double bytes) {
  message.source = rank_;
  message.destination = to.rank_;
  message.bytes = bytes;
  message.buffered_bytes = system_.costs.send_buffer_bytes;
  if (&to == this)
    message.arrived();
  else
    system_.network.start(message);
}

Send* Endpoint::post_send(Buffer outgoing, Rank destination, Tag tag, MessageKind kind) {
  require_peer(rank_, world_size_, destination, tag, "send to");
  Message& message = new_message(destination, outgoing.bytes());
  message.tag = tag;
  message.count = outgoing.count();
  message.has_data = outgoing.is_real();
  if (message.has_data) message.data.assign(outgoing.data().begin(), outgoing.data().end());
  message.is_communication = gpu_ && kind == MessageKind::data;
  if (message.is_communication) begin_communication();

  Endpoint& receiver = *message.receiver;
  if (MatchEntry* receive = receiver.match_table_.match_or_keep(message))
    message.receive = static_cast<Receive*>(receive);

  const bool is_eager = message.data_bytes <= system_.costs.eager_threshold_bytes;
  if (is_eager && (message.data_bytes <= system_.costs.send_buffer_bytes || &receiver == this)) {
    launch(message, receiver, message.wire.bytes);
    return nullptr;
  }
  Send& send = system_.sends.take();
  send.is_complete = false;
  send.is_send = true;
  send.sender = this;
  send.peer = destination;
  send.tag = tag;
  send.waiter = nullptr;
  send.observer = nullptr;
  message.send = &send;
  if (!is_eager) {
    message.stage = Message::Stage::request;
    ++system_.statistics.rendezvous_messages;
  }
  launch(message, receiver, is_eager ? message.wire.bytes : 0);
  return &send;
}

Receive& Endpoint::new_receive() {
  Receive& receive = system_.receives.take();
  receive.waiter = nullptr;
  return receive;
}

void Endpoint::post_receive(Receive& receive, Buffer incoming, Rank source, Tag tag, MessageKind kind) {
  require_peer(rank_, world_size_, source, tag, "receive from");
  receive.is_complete = false;
  receive.is_message = false;
  receive.peer = source;
  receive.tag = tag;
  receive.incoming = incoming;
  receive.receiver = this;
  receive.is_communication = gpu_ && kind == MessageKind::data;
  if (receive.is_communication) begin_communication();
  if (MatchEntry* message = match_table_.match_or_keep(receive))
    static_cast<Message*>(message)->match(receive);
}

void Endpoint::deliver(Message& message, Receive& receive) {
  if (message.count != receive.incoming.count()) [[unlikely]]
    fail(receive, fmt::format("rank {} expects {} elements from rank {} with tag {}, but the message has {}",
                              rank_, receive.incoming.count(), receive.peer, receive.tag, message.count));
  else if (message.has_data != receive.incoming.is_real() && message.count > 0) [[unlikely]]
    fail(receive, fmt::format("rank {} and rank {} disagree on whether the message with tag {} has data",
                              rank_, receive.peer, receive.tag));
  else if (message.has_data)
    std::copy(message.data.begin(), message.data.end(), receive.incoming.data().begin());
  const double later_s = message.wire.latency_s;
  system_.messages.give_back(message);
  const double noticed = std::max(now(), noticed_s());
  happen_at((overhead_s() > 0 ? message_processor_.book(noticed, overhead_s()) : noticed) + later_s, receive);
}

void Endpoint::happen_at(double time_s, TimedAction& action) {
  if (time_s > now())
    scheduler().at(time_s, action);
  else
    action.happen();
}

/// When this worker notices what arrives now.
double Endpoint::noticed_s() {
  if (system_.costs.wake_up_s > 0 && wakes_s_ <= now()) {
    const auto waking = static_cast<std::uint32_t>(rank_);
    const double uniform = CounterRandom(system_.costs.seed, Purpose::wake_up).uniform(waking, wake_ups_++);
    wakes_s_ = now() - system_.costs.wake_up_s * std::log(uniform);
  }
  return wakes_s_;
}

void Endpoint::notify(Rank destination, std::int64_t payload) {
  require_peer(rank_, world_size_, destination, 0, "notify");
  Message& message = new_message(destination, Notification::bytes);
  message.is_notification = true;
  message.payload = payload;
  // Those sent one after the other leave one after the other, before what other strands send.
  if (overhead_s() > 0)
    scheduler().at(book_overhead(), message.notification_step);
  else
    launch(message, *message.receiver, message.wire.bytes);
}

void Endpoint::deliver_notification(Message& message) {
  notifications_.push({.source = message.peer, .payload = message.payload});
  system_.messages.give_back(message);
}

}  // namespace starling
