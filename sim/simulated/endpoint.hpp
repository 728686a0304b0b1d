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

/// A posted receive.
struct Receive final : RequestState, TimedAction {
  /// The receiver's message processor begins with the message, or has finished with it.
  void happen() override;
  void prepare() const override;
  std::uint32_t* ended_step() override { return &step_at_end; }
  void happen_explained(CausalLog& causes, double now_s) override {
    causes.happens(now_s, step_at_end);
    happen();
  }

  Buffer incoming;
  Endpoint* receiver = nullptr;
  Message* waiting = nullptr;  // the message, until the receiver's message processor begins with it
};

/// A send that waits for its receiver, or for room in its host's buffer.
struct Send final : RequestState, TimedAction {
  /// The sender notices that the send is complete.
  void happen() override;
  std::uint32_t* ended_step() override { return &step_at_end; }
  void happen_explained(CausalLog& causes, double now_s) override {
    causes.happens(now_s, step_at_end);
    happen();
  }

  Endpoint* sender = nullptr;
};

/// A message from isend() until it is received. Above the eager threshold it crosses the network three
/// times: the sender's request, the receiver's answer once the request has arrived and a receive is posted,
/// and the data. Three cache lines.
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
  bool is_communication = false;  // slows the sender's GPU until it has arrived
  bool is_in_ring = false;        // of a ring of all workers, which may be paced
  Receive* receive = nullptr;
  Send* send = nullptr;
  Endpoint* receiver = nullptr;
  std::int64_t count = 0;
  ProtocolChoice::Wire wire;  // once the data have arrived, latency_s is the time at which they are readable
  std::vector<float> data;    // empty if sized

 private:
  Endpoint& sender() const;
  void go_on();
};

/// A notification in transit. It is on the agenda for the end of its sender's overhead, then for its
/// receiver's noticing it. Two cache lines: where every worker notifies its neighbors, a million are in
/// transit.
struct alignas(64) NotificationMessage final : Transfer, TimedAction {
  void arrived() override;
  void prepare() const override;
  void happen() override;
  std::uint32_t* ended_step() override { return &step_at_end; }
  void happen_explained(CausalLog& causes, double now_s) override {
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

/// What the endpoints of one job share.
struct MessageSystem {
  MessageSystem(Scheduler& the_scheduler, NetworkModel& the_network, const MessageCosts& the_costs,
                const Routes& routes);

  Scheduler& scheduler;
  NetworkModel& network;
  NetworkModel& carrier;  // the model that messages are given to
  MessageCosts costs;
  ProtocolChoice protocols;
  std::vector<Endpoint> endpoints;  // by rank
  Pool<Message> messages;
  Pool<NotificationMessage> notifications;
  Pool<Receive> receives;
  Pool<Send> sends;
  RunStatistics statistics;

  /// The last worker to reach a point, the step that ended then, and how many workers have noticed.
  struct Point {
    CausalLog::Index step = 0;
    Rank last = 0;
    std::size_t noticed = 0;
  };
  std::map<std::int64_t, Point> points;  // kept where causes are recorded
};

/// A worker's end of the network: it sends and receives messages, eagerly or by rendezvous, with the message
/// processor, which each message occupies, and the reduction unit, which adds received data. The members
/// that every message touches come first.
class alignas(64) Endpoint {
 public:
  /// `rank` is the worker's rank in its job, `network_rank` its rank in the network.
  Endpoint(Rank rank, Rank network_rank, int host, int world_size, MessageSystem& system)
      : rank_(rank),
        network_rank_(network_rank),
        host_(host),
        world_size_(world_size),
        system_(system),
        notifications_(system.scheduler) {}

  Rank rank() const { return rank_; }
  Rank network_rank() const { return network_rank_; }
  /// Pass the worker's activity and iteration on to the network model.
  void note(Activity activity) { system_.network.note(network_rank_, activity); }
  void note_iteration(std::int64_t iteration) { system_.network.note_iteration(network_rank_, iteration); }
  /// The bytes of all messages that it has sent so far, as RunStatistics counts them.
  double sent_bytes() const { return sent_bytes_; }
  /// As in Worker.
  void note_point(std::int64_t point);
  void note_noticed(std::int64_t point);
  Scheduler& scheduler() const { return system_.scheduler; }
  double now() const { return system_.scheduler.now(); }

  /// From now on communication slows this GPU down: receives of data from being posted until they are
  /// complete, messages of data until they have arrived, and whatever lies between begin_communication() and
  /// end_communication().
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
  /// Puts the action on the agenda for when the message processor has finished one more message.
  void process(TimedAction& action);
  /// Blocks the running strand while the message processor is occupied by one more message.
  void pay_overhead();
  /// Adds `from` to `into` and blocks the running strand until the reduction unit has finished.
  void reduce(Buffer into, Buffer from);
  /// Adds `from` to `into`. Returns true if the reduction takes no time; else `action` happens when the
  /// reduction unit has finished.
  bool reduce_at_once(Buffer into, Buffer from, TimedAction& action);
  bool reduces_at_once() const { return system_.costs.reduction_s_per_byte == 0 && !gpu_; }

  /// The part of isend() after the overhead. A message of more than `eager_bytes` goes by rendezvous.
  /// Returns null if the send is complete.
  Send* post_send(Buffer outgoing, Rank destination, Tag tag, MessageKind kind, double eager_bytes);
  void give_back(Send& send) { system_.sends.give_back(send); }
  Receive& new_receive();
  void post_receive(Receive& receive, Buffer incoming, Rank source, Tag tag, MessageKind kind);
  void give_back(Receive& receive) { system_.receives.give_back(receive); }

  void notify(Rank destination, std::int64_t payload);
  NotificationQueue& notifications() { return notifications_; }
  /// For a stepwise strand: the oldest notification, once the message processor has finished with it.
  /// Returns nothing before that; the strand's next step then runs once something has changed.
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
  /// How a message of `bytes` is written to the wire.
  ProtocolChoice::Wire wire(double bytes, const Endpoint& to) const {
    return &to == this ? ProtocolChoice::Wire{.bytes = bytes}
                       : system_.protocols.wire(bytes, host_ == to.host_);
  }
  /// The same in a ring of all workers, whose pace may delay when the message is readable; `peer` is the
  /// other end.
  ProtocolChoice::PacedWire paced_wire(double bytes, const Endpoint& peer) const {
    return system_.protocols.wire_in_ring(bytes, host_ == peer.host_);
  }
  /// The same, with that delay as a part of the latency.
  ProtocolChoice::Wire wire_in_ring(double bytes, const Endpoint& to) const {
    const auto paced = paced_wire(bytes, to);
    return {.bytes = paced.wire.bytes, .latency_s = paced.wire.latency_s + paced.paced_s};
  }
  /// Sends `bytes` of the message over the network to `to`; a message to this endpoint itself arrives at
  /// once. Control messages keep no order with data, as they have tags and a communicator of their own.
  void launch(Transfer& message, const Endpoint& to, double bytes, MessageKind kind = MessageKind::data);
  /// Send the data of an eager message, and of one whose rendezvous has been answered.
  void launch_eager(Message& message, const Endpoint& to, MessageKind kind);
  void launch_answered(Message& message, const Endpoint& to);
  /// Completes `receive` with its message, which has arrived.
  void deliver(Message& message, Receive& receive);
  void deliver(NotificationMessage& message);
  /// Called when the data of a ring's message arrive for a receive that waits for them.
  void blame_pace(const Message& message);
  /// Prefetches the memory that an arriving message needs.
  void prepare() const {
    fetch(&match_table_);
    fetch(&rank_);
  }
  /// Lets `action` happen when this worker notices an event of now (a notification or message has arrived, a
  /// send is complete), plus later_s.
  void notice(TimedAction& action, double later_s = 0) {
    const double at_s = noticed_s();
    if (at_s > now())
      happen_at(at_s + later_s, action, spent_on_overhead(later_s));
    else
      happen_after_latency(later_s, action);
  }
  /// When this worker notices an event of now; 0 if at once.
  double noticed_s() { return system_.costs.wake_up_s == 0 ? 0 : find_noticed_s(); }
  double find_noticed_s();
  Blame spent_on_overhead(double latency_s = 0) const {
    return {SpentOn::overhead, network_rank_, latency_s};
  }
  void happen_when_processed(double processed_s, TimedAction& action);
  double book_overhead() { return message_processor_.book(now(), overhead_s()); }
  double book_reduction(Buffer into, Buffer from);
  /// Puts the action on the agenda, or lets it happen at once if `time_s` is now.
  void happen_at(double time_s, TimedAction& action, Blame blame, CausalLog::Turn* turn = nullptr);
  /// The same for a message whose last `paced_s` seconds before `time_s` are due to the pace of its ring;
  /// paced_s is 0 unless causes are recorded.
  void happen_at(double time_s, TimedAction& action, Blame blame, CausalLog::Turn* turn, double paced_s,
                 LinkIndex pacing_link);
  void happen_after_latency(double latency_s, TimedAction& action);

  MatchTable match_table_;
  Rank rank_;
  Rank network_rank_;
  int host_;
  int world_size_;
  MessageSystem& system_;
  ContendedGpu* gpu_ = nullptr;  // null: communication does not slow computation down
  double sent_bytes_ = 0;
  SerialResource message_processor_;
  SerialResource reduction_unit_;
  double wakes_s_ = 0;          // when it wakes up and notices what has arrived
  std::uint64_t wake_ups_ = 0;  // number of wake-ups so far
  NotificationQueue notifications_;
  static constexpr double not_begun = -1;
  double notification_processed_s_ = not_begun;  // when a stepwise strand may take the oldest one
};

}  // namespace starling
