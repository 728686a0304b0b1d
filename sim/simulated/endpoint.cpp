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

static_assert(sizeof(Message) == 3 * cache_line_bytes && sizeof(NotificationMessage) == 2 * cache_line_bytes);

void fail(Receive& receive, std::string error) {
  receive.error = std::make_unique<std::string>(std::move(error));
}

}  // namespace

MessageSystem::MessageSystem(Scheduler& the_scheduler, NetworkModel& the_network,
                             const MessageCosts& the_costs, const Routes& routes)
    : scheduler(the_scheduler),
      network(the_network),
      carrier(the_network.carrier()),
      costs(the_costs),
      protocols(the_costs.protocols, routes, the_costs.are_rings_paced) {}

void Receive::happen() {
  if (waiting != nullptr) return receiver->deliver(*std::exchange(waiting, nullptr), *this);
  if (is_communication) receiver->end_communication();
  complete(receiver->scheduler());
}
/// Also prefetches the ExchangeRunner that it may be part of, which lies before it in memory.
void Receive::prepare() const { fetch(reinterpret_cast<const char*>(this + 1) - 3 * cache_line_bytes, 4); }
void Send::happen() { complete(sender->scheduler()); }

Endpoint& Message::sender() const { return receiver->other(peer); }

void Message::arrived() {
  if (stage == Stage::answer) {
    stage = Stage::data;
    sender().launch_answered(*this, *receiver);
    return;
  }
  is_here = true;
  if (stage == Stage::data) {
    wire.latency_s += receiver->now();
    if (std::exchange(is_communication, false)) sender().end_communication();
    left();
    if (is_in_ring && receive) receiver->blame_pace(*this);
  }
  if (receive) go_on();
}

void Message::prepare() const {
  receiver->prepare();
  fetch(&data);
  if (receive) receive->prepare();
}

void Message::left() {
  has_left = true;
  if (send) sender().notice(*std::exchange(send, nullptr));
}

/// A message that has arrived already occupies the message processor after what its worker does with it now.
/// A worker that posts a receive and then sends thus sends first, whether the message arrives just before or
/// just after.
void Message::match(Receive& with) {
  receive = &with;
  if (!is_here) return;
  if (stage != Stage::data || receiver->overhead_s() == 0) return go_on();
  with.waiting = this;
  receiver->scheduler().at(receiver->now(), with, receiver->spent_on_overhead());
}

void Message::go_on() {
  if (stage == Stage::data) return receiver->deliver(*this, *receive);
  stage = Stage::answer;
  receiver->launch(*this, sender(), 0);
}

void NotificationMessage::arrived() {
  is_here = true;
  receiver->notice(*this, receiver->other(sender).wire(Notification::bytes, *receiver).latency_s);
}

void NotificationMessage::prepare() const { receiver->notifications_.prepare(); }

void NotificationMessage::happen() {
  if (is_here) return receiver->deliver(*this);
  Endpoint& from = receiver->other(sender);
  from.launch(*this, *receiver, from.wire(Notification::bytes, *receiver).bytes, MessageKind::control);
}

void Endpoint::pay_overhead() {
  if (overhead_s() > 0)
    scheduler().sleep_until(book_overhead(), spent_on_overhead(), &message_processor_.turn);
}

void Endpoint::process(TimedAction& action) { happen_when_processed(book_overhead(), action); }

void Endpoint::happen_when_processed(double processed_s, TimedAction& action) {
  scheduler().at(processed_s, action, spent_on_overhead(), &message_processor_.turn);
}

void Endpoint::reduce(Buffer into, Buffer from) {
  scheduler().sleep_until(book_reduction(into, from), {SpentOn::reduction, network_rank_},
                          &reduction_unit_.turn);
}

bool Endpoint::reduce_at_once(Buffer into, Buffer from, TimedAction& action) {
  const double reduced_s = book_reduction(into, from);
  if (reduced_s <= now()) return true;
  scheduler().at(reduced_s, action, {SpentOn::reduction, network_rank_}, &reduction_unit_.turn);
  return false;
}

double Endpoint::book_reduction(Buffer into, Buffer from) {
  add_elements(into, from);
  return reduction_unit_.book(now(), into.bytes() * system_.costs.reduction_s_per_byte);
}

void Endpoint::launch_eager(Message& message, const Endpoint& to, MessageKind kind) {
  message.buffered_bytes = system_.costs.send_buffer_bytes;
  message.has_left = false;
  launch(message, to, message.wire.bytes, kind);
}

/// A message that fits in the send buffer is complete when its first byte leaves; without a finite buffer,
/// the send is complete when all data have arrived.
void Endpoint::launch_answered(Message& message, const Endpoint& to) {
  const double bytes = message.wire.bytes;
  message.buffered_bytes = system_.costs.send_buffer_bytes;
  if (std::isfinite(message.buffered_bytes))
    message.buffered_bytes = std::min(message.buffered_bytes, std::nextafter(bytes, 0.0));
  launch(message, to, bytes, MessageKind::data);
}

void Endpoint::launch(Transfer& message, const Endpoint& to, double bytes, MessageKind kind) {
  message.source = network_rank_;
  message.destination = to.network_rank_;
  message.bytes = bytes;
  if (&to == this)
    message.arrived();
  else if (kind == MessageKind::control)
    system_.carrier.start_unordered(message);
  else
    system_.carrier.start(message);
}

Send* Endpoint::post_send(Buffer outgoing, Rank destination, Tag tag, MessageKind kind, double eager_bytes) {
  require_peer(rank_, world_size_, destination, tag, "send to");
  Endpoint& receiver = other(destination);
  const double bytes = outgoing.bytes();
  count_message(bytes);
  Message& message = system_.messages.take();
  message.peer = rank_;
  message.tag = tag;
  message.stage = Message::Stage::data;
  message.is_here = false;
  message.send = nullptr;
  message.receiver = &receiver;
  message.count = outgoing.count();
  message.is_in_ring = kind == MessageKind::ring;
  message.wire = message.is_in_ring ? wire_in_ring(bytes, receiver) : wire(bytes, receiver);
  if (outgoing.is_real())
    message.data.assign(outgoing.data().begin(), outgoing.data().end());
  else
    message.data.clear();
  message.is_communication = gpu_ && kind != MessageKind::control;
  if (message.is_communication) begin_communication();
  message.receive = static_cast<Receive*>(receiver.match_table_.match_or_keep(message));

  const bool is_eager = bytes <= eager_bytes;
  message.is_eager = is_eager;
  if (is_eager) {
    const double buffer_bytes = system_.costs.send_buffer_bytes;
    const bool is_beside_data = kind == MessageKind::control && bytes <= buffer_bytes;
    const bool is_free = !std::isfinite(buffer_bytes) || is_beside_data || &receiver == this;
    launch_eager(message, receiver, kind);
    if (is_free || message.has_left) return nullptr;
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
  if (is_eager) return &send;
  message.stage = Message::Stage::request;
  message.buffered_bytes = std::numeric_limits<double>::infinity();
  ++system_.statistics.rendezvous_messages;
  launch(message, receiver, 0, kind);
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
  receive.is_communication = gpu_ && kind != MessageKind::control;
  if (receive.is_communication) begin_communication();
  if (MatchEntry* message = match_table_.match_or_keep(receive))
    static_cast<Message*>(message)->match(receive);
}

void Endpoint::deliver(Message& message, Receive& receive) {
  if (message.count != receive.incoming.count()) [[unlikely]]
    fail(receive, fmt::format("rank {} expects {} elements from rank {} with tag {}, but the message has {}",
                              rank_, receive.incoming.count(), receive.peer, receive.tag, message.count));
  else if (message.data.empty() == receive.incoming.is_real() && message.count > 0) [[unlikely]]
    fail(receive, fmt::format("rank {} and rank {} disagree on whether the message with tag {} has data",
                              rank_, receive.peer, receive.tag));
  else if (!message.data.empty())
    std::copy(message.data.begin(), message.data.end(), receive.incoming.data().begin());
  const double readable_s = message.wire.latency_s;
  const bool is_pace_asked_for = message.is_in_ring && scheduler().causes() != nullptr;
  system_.messages.give_back(message);
  ProtocolChoice::PacedWire sent;
  if (is_pace_asked_for) sent = paced_wire(receive.incoming.bytes(), other(receive.peer));
  const double later_s = std::max(0.0, readable_s - now());
  if (overhead_s() == 0 && sent.paced_s == 0) return notice(receive, later_s);
  const double begin_s = std::max(now(), noticed_s());
  if (overhead_s() == 0) {
    const Blame blame = begin_s > now() ? spent_on_overhead(later_s) : Blame{SpentOn::latency};
    happen_at(begin_s + later_s, receive, blame, nullptr, std::min(sent.paced_s, later_s), sent.pacing_link);
    return;
  }
  const double processed_s = message_processor_.book(begin_s, overhead_s());
  const double late_s = readable_s > now() ? begin_s - now() : 0;
  const double done_s = std::max(processed_s, readable_s + late_s + overhead_s());
  happen_at(done_s, receive, spent_on_overhead(done_s - processed_s), &message_processor_.turn,
            std::min(sent.paced_s, done_s - processed_s), sent.pacing_link);
}

/// Where a ring's message had to keep the pace of a narrower link, its transmission counts for that link,
/// too: on a faster hop the message would only have waited longer.
void Endpoint::blame_pace(const Message& message) {
  CausalLog* const causes = scheduler().causes();
  if (causes == nullptr) return;
  const auto sent = paced_wire(message.receive->incoming.bytes(), other(message.peer));
  if (sent.paced_s > 0) causes->blame_transmission_on(sent.pacing_link, now());
}

void Endpoint::happen_at(double time_s, TimedAction& action, Blame blame, CausalLog::Turn* turn) {
  if (time_s > now())
    scheduler().at(time_s, action, blame, turn);
  else
    action.happen();
}

void Endpoint::happen_at(double time_s, TimedAction& action, Blame blame, CausalLog::Turn* turn,
                         double paced_s, LinkIndex pacing_link) {
  const bool is_later = time_s > now();
  happen_at(time_s, action, blame, turn);
  if (is_later && paced_s > 0)
    scheduler().causes()->blame_last(action, paced_s, {SpentOn::link, pacing_link});
}

void Endpoint::happen_after_latency(double latency_s, TimedAction& action) {
  if (const double time_s = now() + latency_s; time_s > now())
    scheduler().at_after_latency(time_s, action, latency_s);
  else
    action.happen();
}

double Endpoint::find_noticed_s() {
  if (wakes_s_ <= now()) {
    const auto waking = static_cast<std::uint32_t>(rank_);
    const double uniform = CounterRandom(system_.costs.seed, Purpose::wake_up).uniform(waking, wake_ups_++);
    wakes_s_ = now() - system_.costs.wake_up_s * std::log(uniform);
  }
  return wakes_s_;
}

void Endpoint::note_point(std::int64_t point) {
  CausalLog* const causes = scheduler().causes();
  if (causes == nullptr) return;
  MessageSystem::Point& there = system_.points[point];
  there.step = causes->current(now());
  there.last = network_rank_;
}

void Endpoint::note_noticed(std::int64_t point) {
  CausalLog* const causes = scheduler().causes();
  if (causes == nullptr) return;
  MessageSystem::Point& there = system_.points[point];
  causes->happen_now(now(), there.step, Blame{SpentOn::timer, there.last});
  if (++there.noticed == system_.endpoints.size())
    system_.points.erase(system_.points.begin(), system_.points.upper_bound(point));
}

void Endpoint::notify(Rank destination, std::int64_t payload) {
  require_peer(rank_, world_size_, destination, 0, "notify");
  count_message(Notification::bytes);
  NotificationMessage& message = system_.notifications.take();
  message.receiver = &other(destination);
  message.payload = payload;
  message.is_here = false;
  message.sender = rank_ & NotificationMessage::all_ranks;
  // Notifications sent one after the other leave one after the other, before messages of other strands.
  if (overhead_s() > 0)
    process(message);
  else
    message.happen();
}

std::optional<Notification> Endpoint::poll_notification() {
  if (!notifications_.poll()) return std::nullopt;
  if (overhead_s() > 0) {
    const bool begins = notification_processed_s_ == not_begun;
    if (begins) notification_processed_s_ = book_overhead();
    // If rounding loses the overhead, the strand goes on at once and must not be on the agenda, too.
    if (now() < notification_processed_s_) {
      if (begins) happen_when_processed(notification_processed_s_, scheduler().current());
      scheduler().waits_next({.what = WaitsFor::What::time});
      return std::nullopt;
    }
    notification_processed_s_ = not_begun;
  }
  return notifications_.take();
}

void Endpoint::deliver(NotificationMessage& message) {
  notifications_.push({.source = message.sender, .payload = message.payload});
  system_.notifications.give_back(message);
}

}  // namespace starling
