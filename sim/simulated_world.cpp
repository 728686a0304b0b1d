#include "sim/simulated_world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/errors.hpp"
#include "sim/matching.hpp"
#include "sim/pool.hpp"
#include "sim/scheduler.hpp"

namespace starling {

/// What wait() waits for: complete, and who wants to know.
class RequestState {
 public:
  bool is_complete = false;
  bool is_send = false;
  Rank peer = 0;
  Tag tag = 0;
  Strand* waiter = nullptr;
  std::string error;  // of a receive that the message does not fit
};

namespace {

class SimulatedWorker;

struct Receive final : RequestState, MatchEntry, TimedAction {
  using RequestState::tag;
  Buffer incoming;
  SimulatedWorker* worker = nullptr;
  /// The receiver's message processor is done with it.
  void happen() override;
};

struct Send final : RequestState {};

/// A message between two workers, from isend() until it is received; a notification, too.
struct Message final : Transfer, MatchEntry {
  enum class Stage { request, answer, data };
  using Transfer::source;

  void arrived() override;

  class SimulatedWorldState* world = nullptr;
  Stage stage = Stage::data;
  bool has_arrived = false;  // its data; of a rendezvous its request
  bool is_notification = false;
  std::int64_t payload = 0;
  std::int64_t count = 0;
  double data_bytes = 0;
  std::vector<float> data;
  Receive* receive = nullptr;
  Send* send = nullptr;  // that waits for the receiver
};

/// A unit that serves one request after the other.
class SerialResource {
 public:
  /// Books the next `duration_s` seconds that are free from now on. Returns when they end.
  double book(double now_s, double duration_s) { return free_s_ = std::max(now_s, free_s_) + duration_s; }
  bool is_free(double now_s) const { return free_s_ <= now_s; }

 private:
  double free_s_ = 0;
};

class SimulatedWorldState {
 public:
  SimulatedWorldState(const Routes& routes_of_cluster, NetworkModel& network_model,
                      MessageCosts message_costs, TraceSink* trace_sink)
      : routes(routes_of_cluster),
        network(network_model),
        costs(message_costs),
        trace(trace_sink),
        scheduler(network_model.time_source()) {
    network.attach(scheduler);
  }

  void launch(Message& message, Rank source, Rank destination, double bytes);

  const Routes& routes;
  NetworkModel& network;
  MessageCosts costs;
  TraceSink* trace;
  std::deque<SimulatedWorker> workers;
  Pool<Message> messages;
  Pool<Receive> receives;
  Pool<Send> sends;
  RunStatistics statistics;
  // Last, so that strands are unwound while what they refer to still lives.
  Scheduler scheduler;
};

class SimulatedWorker final : public Worker {
 public:
  SimulatedWorker(Rank rank, int world_size, SimulatedWorldState& world)
      : Worker(rank, world_size), world_(world) {}

  int host_of(Rank rank) const override { return world_.routes.host_of(rank); }
  Request isend(Buffer outgoing, Rank destination, Tag tag) override;
  Request irecv(Buffer incoming, Rank source, Tag tag) override;
  void wait(Request& request) override;
  std::size_t wait_any(std::span<Request> requests) override;
  void notify(Rank destination, std::int64_t payload) override;
  Notification wait_notification() override;
  double now() const override { return world_.scheduler.now(); }
  void compute(double seconds) override;
  void accumulate(Buffer into, Buffer from) override;
  void spawn(std::string name, std::function<void()> body, StrandKind kind) override;
  bool is_traced() const override { return world_.trace != nullptr; }
  void trace(std::string_view name, double start_s) override;
  Scheduler& scheduler() override { return world_.scheduler; }

  /// A message that belongs to `receive` is here.
  void deliver(Message& message, Receive& receive);
  void deliver_notification(Message& message);
  void complete(RequestState& request);
  MatchTable& match_table() { return match_table_; }

 private:
  void check_peer(Rank peer, Tag tag, const char* operation) const;
  void occupy(SerialResource& resource, double seconds);
  Message& new_message(Rank destination, double bytes);
  void finish(Request& request);

  SimulatedWorldState& world_;
  SerialResource gpu_;
  SerialResource message_processor_;
  SerialResource reduction_unit_;
  MatchTable match_table_;
  std::deque<Notification> notifications_;
  std::vector<Strand*> notification_waiters_;
};

/// Puts a message of that many bytes on the network; one from a worker to itself is there at once.
void SimulatedWorldState::launch(Message& message, Rank source, Rank destination, double bytes) {
  message.Transfer::source = source;
  message.destination = destination;
  message.bytes = bytes;
  if (source == destination)
    message.arrived();
  else
    network.start(message);
}

void Message::arrived() {
  SimulatedWorker& sender = world->workers[static_cast<std::size_t>(MatchEntry::source)];
  switch (stage) {
    case Stage::request:
      has_arrived = true;
      if (!receive) return;
      stage = Stage::answer;
      world->launch(*this, receive->worker->rank(), sender.rank(), 0);
      return;
    case Stage::answer:
      stage = Stage::data;
      world->launch(*this, sender.rank(), receive->worker->rank(), data_bytes);
      return;
    case Stage::data:
      has_arrived = true;
      if (send) sender.complete(*std::exchange(send, nullptr));
      if (is_notification)
        world->workers[static_cast<std::size_t>(destination)].deliver_notification(*this);
      else if (receive)
        receive->worker->deliver(*this, *receive);
  }
}

void Receive::happen() { worker->complete(*this); }

void SimulatedWorker::check_peer(Rank peer, Tag tag, const char* operation) const {
  if (peer >= 0 && peer < world_size()) return;
  throw CommunicationError(fmt::format("rank {} cannot {} rank {} (tag {}): ranks are 0 … {}", rank(),
                                       operation, peer, tag, world_size() - 1));
}

/// Waits for a turn on the resource and uses it that long.
void SimulatedWorker::occupy(SerialResource& resource, double seconds) {
  if (seconds == 0 && resource.is_free(now())) return;
  world_.scheduler.sleep_until(resource.book(now(), seconds));
}

Message& SimulatedWorker::new_message(Rank destination, double bytes) {
  Message& message = world_.messages.take();
  message.world = &world_;
  message.stage = Message::Stage::data;
  message.has_arrived = false;
  message.is_notification = false;
  message.is_message = true;
  message.MatchEntry::source = rank();
  message.destination = destination;
  message.data_bytes = bytes;
  message.receive = nullptr;
  message.send = nullptr;
  ++world_.statistics.messages;
  world_.statistics.bytes += bytes;
  return message;
}

Request SimulatedWorker::isend(Buffer outgoing, Rank destination, Tag tag) {
  check_peer(destination, tag, "send to");
  if (world_.costs.overhead_s > 0) occupy(message_processor_, world_.costs.overhead_s);
  Message& message = new_message(destination, outgoing.bytes());
  message.tag = tag;
  message.count = outgoing.count();
  if (outgoing.is_real()) message.data.assign(outgoing.data().begin(), outgoing.data().end());

  SimulatedWorker& receiver = world_.workers[static_cast<std::size_t>(destination)];
  if (MatchEntry* match = receiver.match_table_.match_or_keep(message))
    message.receive = static_cast<Receive*>(match);

  if (message.data_bytes <= world_.costs.eager_threshold_bytes) {
    world_.launch(message, rank(), destination, message.data_bytes);
    return Request();
  }
  Send& send = world_.sends.take();
  send.is_complete = false;
  send.is_send = true;
  send.peer = destination;
  send.tag = tag;
  message.send = &send;
  message.stage = Message::Stage::request;
  world_.launch(message, rank(), destination, 0);
  return Request(&send);
}

Request SimulatedWorker::irecv(Buffer incoming, Rank source, Tag tag) {
  check_peer(source, tag, "receive from");
  Receive& receive = world_.receives.take();
  receive.is_complete = false;
  receive.is_message = false;
  receive.peer = source;
  receive.RequestState::tag = tag;
  receive.MatchEntry::source = source;
  receive.MatchEntry::tag = tag;
  receive.incoming = incoming;
  receive.worker = this;
  if (MatchEntry* match = match_table_.match_or_keep(receive)) {
    Message& message = *static_cast<Message*>(match);
    message.receive = &receive;
    if (message.has_arrived)
      message.stage == Message::Stage::data ? deliver(message, receive) : message.arrived();
  }
  return Request(&receive);
}

void SimulatedWorker::deliver(Message& message, Receive& receive) {
  if (message.count != receive.incoming.count())
    receive.error =
        fmt::format("rank {} expects {} elements from rank {} with tag {}, but the message has {}", rank(),
                    receive.incoming.count(), receive.peer, receive.RequestState::tag, message.count);
  else if (message.count > 0 && message.data.empty() == receive.incoming.is_real())
    receive.error = fmt::format("rank {} and rank {} disagree on whether the message with tag {} has data",
                                rank(), receive.peer, receive.RequestState::tag);
  else
    std::copy(message.data.begin(), message.data.end(), receive.incoming.data().begin());
  message.data.clear();
  world_.messages.give_back(message);
  if (world_.costs.overhead_s > 0)
    world_.scheduler.at(message_processor_.book(now(), world_.costs.overhead_s), receive);
  else
    complete(receive);
}

void SimulatedWorker::complete(RequestState& request) {
  request.is_complete = true;
  if (request.waiter) world_.scheduler.make_ready(*std::exchange(request.waiter, nullptr));
}

/// Gives a complete request back. @throws CommunicationError if it failed.
void SimulatedWorker::finish(Request& request) {
  RequestState& state = *request.state();
  request = Request();
  if (state.is_send) {
    world_.sends.give_back(static_cast<Send&>(state));
    return;
  }
  std::string error;
  if (!state.error.empty()) error.swap(state.error);
  world_.receives.give_back(static_cast<Receive&>(state));
  if (!error.empty()) throw CommunicationError(error);
}

void SimulatedWorker::wait(Request& request) {
  if (!request.state()) return;
  RequestState& state = *request.state();
  while (!state.is_complete) {
    state.waiter = &world_.scheduler.current();
    world_.scheduler.block({.what = state.is_send ? WaitsFor::What::sending : WaitsFor::What::message,
                            .peer = state.peer,
                            .tag = state.tag});
  }
  finish(request);
}

std::size_t SimulatedWorker::wait_any(std::span<Request> requests) {
  while (true) {
    bool is_any_open = false;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      RequestState* state = requests[i].state();
      if (!state) continue;
      is_any_open = true;
      if (!state->is_complete) continue;
      for (Request& other : requests)
        if (other.state()) other.state()->waiter = nullptr;
      finish(requests[i]);
      return i;
    }
    STARLING_INVARIANT(is_any_open);
    for (Request& request : requests)
      if (request.state()) request.state()->waiter = &world_.scheduler.current();
    world_.scheduler.block({.what = WaitsFor::What::any_request});
  }
}

void SimulatedWorker::notify(Rank destination, std::int64_t payload) {
  constexpr double notification_bytes = 4;
  check_peer(destination, 0, "notify");
  if (world_.costs.overhead_s > 0) occupy(message_processor_, world_.costs.overhead_s);
  Message& message = new_message(destination, notification_bytes);
  message.is_notification = true;
  message.payload = payload;
  world_.launch(message, rank(), destination, notification_bytes);
}

void SimulatedWorker::deliver_notification(Message& message) {
  notifications_.push_back({.source = message.MatchEntry::source, .payload = message.payload});
  world_.messages.give_back(message);
  for (Strand* strand : std::exchange(notification_waiters_, {})) world_.scheduler.make_ready(*strand);
}

Notification SimulatedWorker::wait_notification() {
  while (notifications_.empty()) {
    notification_waiters_.push_back(&world_.scheduler.current());
    world_.scheduler.block({.what = WaitsFor::What::notification});
  }
  const Notification notification = notifications_.front();
  notifications_.pop_front();
  if (world_.costs.overhead_s > 0) occupy(message_processor_, world_.costs.overhead_s);
  return notification;
}

void SimulatedWorker::compute(double seconds) {
  STARLING_INVARIANT(seconds >= 0 && seconds <= std::numeric_limits<double>::max());
  occupy(gpu_, seconds);
}

void SimulatedWorker::accumulate(Buffer into, Buffer from) {
  STARLING_INVARIANT(into.count() == from.count() && (into.is_real() == from.is_real() || into.count() == 0));
  const std::span<float> sum = into.data();
  const std::span<float> addend = from.data();
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += addend[i];
  if (world_.costs.reduction_s_per_byte > 0)
    occupy(reduction_unit_, into.bytes() * world_.costs.reduction_s_per_byte);
}

void SimulatedWorker::spawn(std::string name, std::function<void()> body, StrandKind kind) {
  world_.scheduler.spawn(rank(), std::move(name), std::move(body), kind == StrandKind::background);
}

void SimulatedWorker::trace(std::string_view name, double start_s) {
  if (world_.trace) world_.trace->span(rank(), world_.scheduler.current().name(), name, start_s, now());
}

}  // namespace

class SimulatedWorld::Impl : public SimulatedWorldState {
 public:
  using SimulatedWorldState::SimulatedWorldState;
};

SimulatedWorld::SimulatedWorld(const Routes& routes, NetworkModel& network, MessageCosts costs,
                               TraceSink* trace)
    : impl_(std::make_unique<Impl>(routes, network, costs, trace)) {
  const int workers = routes.workers();
  for (Rank rank = 0; rank < workers; ++rank) impl_->workers.emplace_back(rank, workers, *impl_);
}

SimulatedWorld::~SimulatedWorld() = default;

void SimulatedWorld::run(const std::function<void(Worker&)>& body) {
  for (SimulatedWorker& worker : impl_->workers)
    impl_->scheduler.spawn(worker.rank(), "main", [&body, &worker] { body(worker); });
  impl_->scheduler.run();
  impl_->statistics.makespan_s = impl_->scheduler.now();
  impl_->statistics.events = impl_->scheduler.events();
}

RunStatistics SimulatedWorld::statistics() const { return impl_->statistics; }

}  // namespace starling
