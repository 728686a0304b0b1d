#pragma once

#include <deque>
#include <string>
#include <vector>

#include "sim/messages/matching.hpp"
#include "sim/messages/pool.hpp"
#include "sim/messages/serial_resource.hpp"
#include "sim/simulated/exchange_runner.hpp"
#include "sim/simulated/message.hpp"
#include "sim/simulated/simulated_world.hpp"
#include "sim/worker.hpp"

namespace starling {

/// What the workers of a simulated world have in common.
struct SharedState {
  const Routes& routes;
  NetworkModel& network;
  MessageCosts costs;
  TraceSink* trace;
  Pool<Message> messages = {};
  Pool<Receive> receives = {};
  Pool<Send> sends = {};
  Pool<ExchangeRunner> exchange_runners = {};
  RunStatistics statistics = {};
  Scheduler scheduler;
};

/// One rank of a simulated world.
class SimulatedWorker final : public Worker {
 public:
  SimulatedWorker(Rank rank, int world_size, SharedState& shared, std::deque<SimulatedWorker>& workers)
      : Worker(rank, world_size), shared_(shared), workers_(workers) {}

  int host_of(Rank rank) const override { return shared_.routes.host_of(rank); }
  Request isend(Buffer outgoing, Rank destination, Tag tag) override;
  Request irecv(Buffer incoming, Rank source, Tag tag) override;
  void wait(Request& request) override;
  std::size_t wait_any(std::span<Request> requests) override;
  void notify(Rank destination, std::int64_t payload) override;
  Notification wait_notification() override;
  double now() const override { return shared_.scheduler.now(); }
  void compute(double seconds) override;
  void accumulate(Buffer into, Buffer from) override;
  void run_exchanges(ExchangeSequence& sequence, Tag tag) override;
  void spawn(std::string name, std::function<void()> body, StrandKind kind) override;
  bool is_traced() const override { return shared_.trace != nullptr; }
  void trace(std::string_view name, double start_s) override;
  Scheduler& scheduler() override { return shared_.scheduler; }

  /// Puts `bytes` of the message on the network from this worker to `to`; to itself they are there at once.
  void launch(Message& message, const SimulatedWorker& to, double bytes);
  /// The message that belongs to `receive` is here.
  void deliver(Message& message, Receive& receive);
  /// A notification is here, or a send complete: what this worker does when it notices.
  void notice(TimedAction& action);
  void deliver_notification(Message& message);
  void complete(RequestState& request) { request.complete(shared_.scheduler); }

  double overhead_s() const { return shared_.costs.overhead_s; }
  /// When the message processor is done with one more message.
  double book_overhead() { return message_processor_.book(now(), overhead_s()); }
  /// Adds up real data and returns when the reduction unit is done.
  double book_reduction(Buffer into, Buffer from);

  /// The part of isend() and irecv() that takes no time. Returns null if the sender need not wait.
  Send* post_send(Buffer outgoing, Rank destination, Tag tag);
  void post_receive(Receive& receive, Buffer incoming, Rank source, Tag tag);
  void give_back(Send& send) { shared_.sends.give_back(send); }

 private:
  void pay_overhead();
  double noticed_s();
  /// At once if it is time.
  void happen_at(double time_s, TimedAction& action);
  Message& new_message(Rank destination, double bytes);
  void finish(Request& request);

  SharedState& shared_;
  std::deque<SimulatedWorker>& workers_;
  MatchTable match_table_;
  SerialResource gpu_;
  SerialResource message_processor_;
  SerialResource reduction_unit_;
  double wakes_s_ = 0;          // and notices what has arrived by then
  std::uint64_t wake_ups_ = 0;  // so far
  std::deque<Notification> notifications_;
  std::vector<Strand*> notification_waiters_;
};

}  // namespace starling
