#include "sim/simulated/simulated_worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/errors.hpp"
#include "sim/random.hpp"

namespace starling {
namespace {

void fail(Receive& receive, std::string error) {
  receive.error = std::make_unique<std::string>(std::move(error));
}

}  // namespace

void SimulatedWorker::pay_overhead() {
  if (overhead_s() > 0) shared_.scheduler.sleep_until(book_overhead());
}

Message& SimulatedWorker::new_message(Rank destination, double bytes) {
  Message& message = shared_.messages.take();
  message.receive = nullptr;
  message.send = nullptr;
  message.stage = Message::Stage::data;
  message.is_here = false;
  message.is_notification = false;
  message.has_data = false;
  message.is_message = true;
  message.MatchEntry::source = rank();
  message.data_bytes = bytes;
  message.sender = this;
  message.receiver = &workers_[static_cast<std::size_t>(destination)];
  ++shared_.statistics.messages;
  shared_.statistics.bytes += bytes;
  return message;
}

void SimulatedWorker::launch(Message& message, const SimulatedWorker& to, double bytes) {
  message.Transfer::source = rank();
  message.destination = to.rank();
  message.bytes = bytes;
  message.buffered_bytes = shared_.costs.send_buffer_bytes;
  if (&to == this)
    message.arrived();
  else
    shared_.network.start(message);
}

Send* SimulatedWorker::post_send(Buffer outgoing, Rank destination, Tag tag) {
  check_peer(destination, tag, "send to");
  Message& message = new_message(destination, outgoing.bytes());
  message.tag = tag;
  message.count = outgoing.count();
  message.has_data = outgoing.is_real();
  if (message.has_data) message.data.assign(outgoing.data().begin(), outgoing.data().end());

  SimulatedWorker& receiver = *message.receiver;
  if (MatchEntry* receive = receiver.match_table_.match_or_keep(message))
    message.receive = static_cast<Receive*>(receive);

  const bool is_eager = message.data_bytes <= shared_.costs.eager_threshold_bytes;
  if (is_eager && (message.data_bytes <= shared_.costs.send_buffer_bytes || &receiver == this)) {
    launch(message, receiver, message.data_bytes);
    return nullptr;
  }
  Send& send = shared_.sends.take();
  send.is_complete = false;
  send.is_send = true;
  send.worker = this;
  send.source = destination;
  send.tag = tag;
  send.waiter = nullptr;
  send.observer = nullptr;
  message.send = &send;
  if (!is_eager) message.stage = Message::Stage::request;
  launch(message, receiver, is_eager ? message.data_bytes : 0);
  return &send;
}

void SimulatedWorker::post_receive(Receive& receive, Buffer incoming, Rank source, Tag tag) {
  check_peer(source, tag, "receive from");
  receive.is_complete = false;
  receive.is_message = false;
  receive.source = source;
  receive.tag = tag;
  receive.incoming = incoming;
  receive.worker = this;
  if (MatchEntry* message = match_table_.match_or_keep(receive))
    static_cast<Message*>(message)->match(receive);
}

Request SimulatedWorker::isend(Buffer outgoing, Rank destination, Tag tag) {
  check_peer(destination, tag, "send to");
  pay_overhead();
  return Request(post_send(outgoing, destination, tag));
}

Request SimulatedWorker::irecv(Buffer incoming, Rank source, Tag tag) {
  Receive& receive = shared_.receives.take();
  receive.waiter = nullptr;
  post_receive(receive, incoming, source, tag);
  return Request(&receive);
}

void SimulatedWorker::deliver(Message& message, Receive& receive) {
  if (message.count != receive.incoming.count()) [[unlikely]]
    fail(receive, fmt::format("rank {} expects {} elements from rank {} with tag {}, but the message has {}",
                              rank(), receive.incoming.count(), receive.source, receive.tag, message.count));
  else if (message.has_data != receive.incoming.is_real() && message.count > 0) [[unlikely]]
    fail(receive, fmt::format("rank {} and rank {} disagree on whether the message with tag {} has data",
                              rank(), receive.source, receive.tag));
  else if (message.has_data)
    std::copy(message.data.begin(), message.data.end(), receive.incoming.data().begin());
  shared_.messages.give_back(message);
  const double noticed = std::max(now(), noticed_s());
  happen_at(overhead_s() > 0 ? message_processor_.book(noticed, overhead_s()) : noticed, receive);
}

void SimulatedWorker::happen_at(double time_s, TimedAction& action) {
  if (time_s > now())
    shared_.scheduler.at(time_s, action);
  else
    action.happen();
}

/// When this worker notices what arrives now.
double SimulatedWorker::noticed_s() {
  if (shared_.costs.wake_up_s > 0 && wakes_s_ <= now()) {
    const auto waking = static_cast<std::uint32_t>(rank());
    const double uniform = CounterRandom(shared_.costs.seed, Purpose::wake_up).uniform(waking, wake_ups_++);
    wakes_s_ = now() - shared_.costs.wake_up_s * std::log(uniform);
  }
  return wakes_s_;
}

/// Gives a complete request back. @throws CommunicationError if it failed.
void SimulatedWorker::finish(Request& request) {
  RequestState& state = *request.state();
  request = Request();
  if (state.is_send) {
    shared_.sends.give_back(static_cast<Send&>(state));
    return;
  }
  const std::unique_ptr<std::string> error = std::move(state.error);
  shared_.receives.give_back(static_cast<Receive&>(state));
  if (error) throw CommunicationError(*error);
}

void SimulatedWorker::wait(Request& request) {
  if (!request.state()) return;
  wait_until_complete(shared_.scheduler, *request.state());
  finish(request);
}

std::size_t SimulatedWorker::wait_any(std::span<Request> requests) {
  const std::size_t index = wait_until_any_complete(shared_.scheduler, requests);
  finish(requests[index]);
  return index;
}

void SimulatedWorker::notify(Rank destination, std::int64_t payload) {
  constexpr double notification_bytes = 4;
  check_peer(destination, 0, "notify");
  Message& message = new_message(destination, notification_bytes);
  message.is_notification = true;
  message.payload = payload;
  // Those sent one after the other leave one after the other, before what other strands send.
  if (overhead_s() > 0)
    shared_.scheduler.at(book_overhead(), message.notification_step);
  else
    launch(message, *message.receiver, notification_bytes);
}

void SimulatedWorker::notice(TimedAction& action) { happen_at(noticed_s(), action); }

void SimulatedWorker::deliver_notification(Message& message) {
  notifications_.push_back({.source = message.MatchEntry::source, .payload = message.payload});
  shared_.messages.give_back(message);
  for (Strand* strand : std::exchange(notification_waiters_, {})) shared_.scheduler.make_ready(*strand);
}

Notification SimulatedWorker::wait_notification() {
  while (notifications_.empty()) {
    notification_waiters_.push_back(&shared_.scheduler.current());
    shared_.scheduler.block({.what = WaitsFor::What::notification});
  }
  const Notification notification = notifications_.front();
  notifications_.pop_front();
  pay_overhead();
  return notification;
}

void SimulatedWorker::compute(double seconds) {
  STARLING_INVARIANT(seconds >= 0 && seconds <= std::numeric_limits<double>::max());
  shared_.scheduler.sleep_until(gpu_.book(now(), seconds));
}

double SimulatedWorker::book_reduction(Buffer into, Buffer from) {
  STARLING_INVARIANT(into.count() == from.count() && (into.is_real() == from.is_real() || into.count() == 0));
  add_elements(into.data(), from.data());
  return reduction_unit_.book(now(), into.bytes() * shared_.costs.reduction_s_per_byte);
}

void SimulatedWorker::accumulate(Buffer into, Buffer from) {
  shared_.scheduler.sleep_until(book_reduction(into, from));
}

void SimulatedWorker::run_exchanges(ExchangeSequence& sequence, Tag tag) {
  ExchangeRunner& runner = shared_.exchange_runners.take();
  runner.run(*this, sequence, tag);
  shared_.exchange_runners.give_back(runner);
}

void SimulatedWorker::spawn(std::string name, std::function<void()> body, StrandKind kind) {
  shared_.scheduler.spawn(rank(), std::move(name), std::move(body), kind == StrandKind::background);
}

void SimulatedWorker::trace(std::string_view name, double start_s) {
  if (shared_.trace) shared_.trace->span(rank(), shared_.scheduler.current().name(), name, start_s, now());
}

}  // namespace starling
