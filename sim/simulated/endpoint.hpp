#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

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

/// A receive that was asked for.
struct Receive final : RequestState, TimedAction {
  /// The receiver's message processor is done with it.
  void happen() override;

  Buffer incoming;
  Endpoint* receiver = nullptr;
  bool is_communication = false;  // that slows the receiver's computing until it is complete
};

/// A send that waits for its receiver, or for room in its host's buffers.
struct Send final : RequestState, TimedAction {
  /// The sender has noticed that it is complete.
  void happen() override;

  Endpoint* sender = nullptr;
};

/// A message from isend() until it is received, or a notification. Above the eager threshold it goes over the
/// network three times: the sender's request, the receiver's answer once both the request and a receive are
/// there, and the data.
struct Message final : Transfer, MatchEntry {
  enum class Stage { request, answer, data };

  /// A notification's sender has paid for it, or its receiver noticed it.
  struct NotificationStep final : TimedAction {
    explicit NotificationStep(Message& whose) : message(whose) {}
    void happen() override;
    Message& message;
  };

  void arrived() override;
  void left() override;
  /// Its receive is known now.
  void match(Receive& receive);

  Receive* receive = nullptr;
  Send* send = nullptr;
  Stage stage = Stage::data;
  bool is_here = false;  // the request or the data has arrived
  bool is_notification = false;
  bool is_communication = false;  // that slows the sender's computing until it has left
  bool has_data = false;
  std::int64_t count = 0;
  std::int64_t payload = 0;  // of a notification
  double data_bytes = 0;
  ProtocolChoice::Wire wire;
  Endpoint* sender = nullptr;
  Endpoint* receiver = nullptr;
  std::vector<float> data;
  NotificationStep notification_step{*this};

 private:
  void go_on();
};

/// What the endpoints of a simulated world have in common.
struct MessageSystem {
  MessageSystem(Scheduler& the_scheduler, NetworkModel& the_network, const MessageCosts& the_costs,
                const Routes& routes);

  Scheduler& scheduler;
  NetworkModel& network;
  MessageCosts costs;
  ProtocolChoice protocols;
  std::vector<Endpoint> endpoints;  // by rank
  Pool<Message> messages;
  Pool<Receive> receives;
  Pool<Send> sends;
  RunStatistics statistics;
};

/// Where the messages of a worker begin and end: the protocol, eager or by rendezvous, with the worker's
/// message processor, which is busy with each of them, and its reduction unit, which adds up what they bring.
class Endpoint {
 public:
  Endpoint(Rank rank, int host, int world_size, MessageSystem& system)
      : rank_(rank),
        host_(host),
        world_size_(world_size),
        system_(system),
        notifications_(system.scheduler) {}

  Rank rank() const { return rank_; }
  Scheduler& scheduler() const { return system_.scheduler; }
  double now() const { return system_.scheduler.now(); }

  /// From now on communication slows this GPU down: receives of data from when they are asked for until they
  /// are complete, messages of data until they have left this worker, and whatever is said to.
  void slow_down(ContendedGpu& gpu) { gpu_ = &gpu; }
  ContendedGpu* gpu() const { return gpu_; }
  void begin_communication() {
    if (gpu_) gpu_->begin_communication();
  }
  void end_communication() {
    if (gpu_) gpu_->end_communication();
  }

  double overhead_s() const { return system_.costs.overhead_s; }
  /// When the message processor is done with one more message.
  double book_overhead() { return message_processor_.book(now(), overhead_s()); }
  /// Blocks the running strand until then.
  void pay_overhead();
  /// Adds up real data and returns when the reduction unit is done.
  double book_reduction(Buffer into, Buffer from);

  /// The part of isend() that takes no time. Returns null if the sender need not wait.
  Send* post_send(Buffer outgoing, Rank destination, Tag tag, MessageKind kind);
  void give_back(Send& send) { system_.sends.give_back(send); }
  Receive& new_receive();
  void post_receive(Receive& receive, Buffer incoming, Rank source, Tag tag, MessageKind kind);
  void give_back(Receive& receive) { system_.receives.give_back(receive); }

  void notify(Rank destination, std::int64_t payload);
  NotificationQueue& notifications() { return notifications_; }

 private:
  friend struct Message;
  friend struct Receive;
  friend struct Send;

  Message& new_message(Rank destination, double bytes);
  /// Puts `bytes` of the message on the network from this worker to `to`; to itself they are there at once.
  void launch(Message& message, const Endpoint& to, double bytes);
  /// The message that belongs to `receive` is here.
  void deliver(Message& message, Receive& receive);
  void deliver_notification(Message& message);
  /// A notification is here, or a send complete: what this worker does when it notices.
  void notice(TimedAction& action, double later_s = 0) {
    happen_at(std::max(now(), noticed_s()) + later_s, action);
  }
  double noticed_s();
  /// At once if it is time.
  void happen_at(double time_s, TimedAction& action);

  Rank rank_;
  int host_;
  int world_size_;
  MessageSystem& system_;
  ContendedGpu* gpu_ = nullptr;  // none: nothing slows it down
  MatchTable match_table_;
  SerialResource message_processor_;
  SerialResource reduction_unit_;
  double wakes_s_ = 0;          // and notices what has arrived by then
  std::uint64_t wake_ups_ = 0;  // so far
  NotificationQueue notifications_;
};

}  // namespace starling
