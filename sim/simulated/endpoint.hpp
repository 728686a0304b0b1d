#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/fetch.hpp"
#include "sim/buffer.hpp"
#include "sim/exchange.hpp"
#include "sim/messages/matching.hpp"
#include "sim/messages/message_costs.hpp"
#include "sim/messages/notification_queue.hpp"
#include "sim/messages/pool.hpp"
#include "sim/messages/protocol.hpp"
#include "sim/messages/request_state.hpp"
#include "sim/messages/serial_resource.hpp"
#include "sim/networks/network_model.hpp"
#include "sim/run_statistics.hpp"
#include "sim/simulated/contended_gpu.hpp"

namespace starling {

class Endpoint;

struct Message;

/// A receive that was asked for.
struct Receive final : RequestState, TimedAction {
  /// The receiver's message processor turns to its message, or is done with it.
  void happen() override;
  void prepare() const override;
  std::uint32_t* ended_step() override { return &step_at_end; }
  void happen_explained(Causes& causes, double now_s) override {
    causes.happens(now_s, step_at_end);
    happen();
  }

  Buffer incoming;
  Endpoint* receiver = nullptr;
  Message* waiting = nullptr;  // for the receiver's message processor
};

/// A send that waits for its receiver, or for room in its host's buffers.
struct Send final : RequestState, TimedAction {
  /// The sender has noticed that it is complete.
  void happen() override;
  std::uint32_t* ended_step() override { return &step_at_end; }
  void happen_explained(Causes& causes, double now_s) override {
    causes.happens(now_s, step_at_end);
    happen();
  }

  Endpoint* sender = nullptr;
};

/// A message from isend() until it is received. Above the eager threshold it goes over the network three
/// times: the sender's request, the receiver's answer once both the request and a receive are there, and the
/// data. Three lines of the cache.
struct alignas(64) Message final : Transfer, MatchEntry {
  enum class Stage : std::uint8_t { request, answer, data };

  Message() { is_message = true; }

  void arrived() override;
  void left() override;
  void prepare() const override;
  bool is_by_rendezvous() const override { return !is_eager; }
  /// Pairs the message with its receive.
  void match(Receive& receive);

  Stage stage = Stage::data;
  bool is_eager = true;
  bool is_here = false;           // the request or the data has arrived
  bool has_left = false;          // the sender's buffer has taken its data
  bool is_communication = false;  // that slows the sender's computing until it has arrived
  bool is_in_ring = false;        // of all workers, which may be paced
  Receive* receive = nullptr;
  Send* send = nullptr;
  Endpoint* receiver = nullptr;
  std::int64_t count = 0;
  ProtocolChoice::Wire wire;  // its latency, once the data have arrived, is when that is over
  std::vector<float> data;    // empty if sized

 private:
  Endpoint& sender() const;
  void go_on();
};

/// A notification on its way. What happens to it is that its sender has paid for it, or its receiver noticed
/// it. Two lines of the cache: where all tell their neighbors, a million are under way.
struct alignas(64) NotificationMessage final : Transfer, TimedAction {
  void arrived() override;
  void prepare() const override;
  void happen() override;
  std::uint32_t* ended_step() override { return &step_at_end; }
  void happen_explained(Causes& causes, double now_s) override {
    causes.happens(now_s, step_at_end);
    happen();
  }

  std::uint32_t step_at_end = 0;
  bool is_here : 1 = false;
  static constexpr Rank all_ranks = (1 << 30) - 1;
  Rank sender : 31 = 0;
  Endpoint* receiver = nullptr;
  std::int64_t payload = 0;
};

/// What the endpoints of a simulated world have in common.
struct MessageSystem {
  MessageSystem(Scheduler& the_scheduler, NetworkModel& the_network, const MessageCosts& the_costs,
                const Routes& routes);

  Scheduler& scheduler;
  NetworkModel& network;
  NetworkModel& carrier;  // of its messages
  MessageCosts costs;
  ProtocolChoice protocols;
  std::vector<Endpoint> endpoints;  // by rank
  Pool<Message> messages;
  Pool<NotificationMessage> notifications;
  Pool<Receive> receives;
  Pool<Send> sends;
  RunStatistics statistics;

  /// Who was the last to get to a point, with the step that let it; how many have noticed.
  struct Point {
    Causes::Index step = 0;
    Rank last = 0;
    std::size_t noticed = 0;
  };
  std::map<std::int64_t, Point> points;  // where someone asks why
};

/// Where the messages of a worker begin and end: the protocol, eager or by rendezvous, with the worker's
/// message processor, which is busy with each of them, and its reduction unit, which adds up what they bring.
/// What every message touches comes first.
class alignas(64) Endpoint {
 public:
  /// `rank` is what its job calls the worker, `network_rank` what the network does.
  Endpoint(Rank rank, Rank network_rank, int host, int world_size, MessageSystem& system)
      : rank_(rank),
        network_rank_(network_rank),
        host_(host),
        world_size_(world_size),
        system_(system),
        notifications_(system.scheduler) {}

  Rank rank() const { return rank_; }
  Rank network_rank() const { return network_rank_; }
  /// Tells the network.
  void note(Activity activity) { system_.network.note(network_rank_, activity); }
  void note_iteration(std::int64_t iteration) { system_.network.note_iteration(network_rank_, iteration); }
  /// Of all its messages so far, as RunStatistics counts them.
  double sent_bytes() const { return sent_bytes_; }
  /// See Worker.
  void note_point(std::int64_t point);
  void note_noticed(std::int64_t point);
  Scheduler& scheduler() const { return system_.scheduler; }
  double now() const { return system_.scheduler.now(); }

  /// From now on communication slows this GPU down: receives of data from when they are asked for until they
  /// are complete, messages of data until they have arrived, and whatever is said to.
  void slow_down(ContendedGpu& gpu) { gpu_ = &gpu; }
  ContendedGpu* gpu() const { return gpu_; }
  void begin_communication() {
    if (gpu_) gpu_->begin_communication();
  }
  void end_communication() {
    if (gpu_) gpu_->end_communication();
  }

  const MessageCosts& costs() const { return system_.costs; }
  double overhead_s() const { return costs().overhead_s; }
  /// The action happens when the message processor is done with one more message.
  void process(TimedAction& action);
  /// Blocks the running strand until then.
  void pay_overhead();
  /// Adds up real data; the running strand goes on when the reduction unit is done.
  void reduce(Buffer into, Buffer from);
  /// Adds up real data. True if the reduction unit is done now; else `action` happens when it is.
  bool reduce_at_once(Buffer into, Buffer from, TimedAction& action);
  bool reduces_at_once() const { return system_.costs.reduction_s_per_byte == 0 && !gpu_; }

  /// The part of isend() that takes no time; of more bytes than `eager_bytes` the message waits for its
  /// receiver. Returns null if the sender need not wait.
  Send* post_send(Buffer outgoing, Rank destination, Tag tag, MessageKind kind, double eager_bytes);
  void give_back(Send& send) { system_.sends.give_back(send); }
  Receive& new_receive();
  void post_receive(Receive& receive, Buffer incoming, Rank source, Tag tag, MessageKind kind);
  void give_back(Receive& receive) { system_.receives.give_back(receive); }

  void notify(Rank destination, std::int64_t payload);
  NotificationQueue& notifications() { return notifications_; }
  /// The oldest notification once the message processor is done with it; nothing if there is none yet, and
  /// the running stepwise strand goes on when there is.
  std::optional<Notification> poll_notification();

 private:
  friend struct Message;
  friend struct NotificationMessage;
  friend struct Receive;
  friend struct Send;

  Endpoint& other(Rank rank) const { return system_.endpoints[static_cast<std::size_t>(rank)]; }
  void count_message(double bytes) {
    ++system_.statistics.messages;
    system_.statistics.bytes += bytes;
    sent_bytes_ += bytes;
  }
  /// How a message of so many bytes is written to the wire.
  ProtocolChoice::Wire wire(double bytes, const Endpoint& to) const {
    return &to == this ? ProtocolChoice::Wire{.bytes = bytes}
                       : system_.protocols.wire(bytes, host_ == to.host_);
  }
  /// How it is written in a ring of all workers, where it may be readable later.
  ProtocolChoice::Wire wire_in_ring(double bytes, const Endpoint& to) const {
    const auto paced = system_.protocols.wire_in_ring(bytes, host_ == to.host_);
    return {.bytes = paced.wire.bytes, .latency_s = paced.wire.latency_s + paced.paced_s};
  }
  /// Puts `bytes` of the message on the network from this worker to `to`; to itself they are there at once.
  /// What only tells others keeps no order with data: it has tags, and a communicator, of its own.
  void launch(Transfer& message, const Endpoint& to, double bytes, MessageKind kind = MessageKind::data);
  /// The data of one that waits for nobody, and of one that has waited for its receiver's answer.
  void launch_eager(Message& message, const Endpoint& to, MessageKind kind);
  void launch_answered(Message& message, const Endpoint& to);
  /// The message that belongs to `receive` is here.
  void deliver(Message& message, Receive& receive);
  void deliver(NotificationMessage& message);
  /// Asks for the memory that a message needs here.
  void prepare() const {
    fetch(&match_table_);
    fetch(&rank_);
  }
  /// A notification is here, or a send complete: what this worker does when it notices.
  void notice(TimedAction& action, double later_s = 0) {
    const double at_s = noticed_s();
    if (at_s > now())
      happen_at(at_s + later_s, action, spent_on_overhead(later_s));
    else
      happen_after_latency(later_s, action);
  }
  /// When this worker notices what arrives now.
  double noticed_s() { return system_.costs.wake_up_s == 0 ? 0 : find_noticed_s(); }
  double find_noticed_s();
  Blame spent_on_overhead(double latency_s = 0) const {
    return {SpentOn::overhead, network_rank_, latency_s};
  }
  void happen_when_processed(double processed_s, TimedAction& action);
  double book_overhead() { return message_processor_.book(now(), overhead_s()); }
  double book_reduction(Buffer into, Buffer from);
  /// Puts the action on the agenda; where `time_s` is now, it happens at once.
  void happen_at(double time_s, TimedAction& action, Blame blame, Causes::Turn* turn = nullptr);
  /// The same of what may have waited for the pace of its ring, the last `paced_s` of the time until then: 0
  /// where Causes are not asked.
  void happen_at(double time_s, TimedAction& action, Blame blame, Causes::Turn* turn, double paced_s,
                 LinkIndex pacing_link);
  void happen_after_latency(double latency_s, TimedAction& action);

  MatchTable match_table_;
  Rank rank_;
  Rank network_rank_;
  int host_;
  int world_size_;
  MessageSystem& system_;
  ContendedGpu* gpu_ = nullptr;  // none: nothing slows it down
  double sent_bytes_ = 0;
  SerialResource message_processor_;
  SerialResource reduction_unit_;
  double wakes_s_ = 0;          // and notices what has arrived by then
  std::uint64_t wake_ups_ = 0;  // so far
  NotificationQueue notifications_;
  static constexpr double not_begun = -1;
  double notification_processed_s_ = not_begun;  // the oldest, which a stepwise strand takes then
};

}  // namespace starling
