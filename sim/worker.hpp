#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/types.hpp"
#include "sim/activity.hpp"
#include "sim/buffer.hpp"
#include "sim/exchange.hpp"
#include "sim/trace.hpp"

namespace starling {

class RequestState;
class Scheduler;

/// A handle of a send or receive in progress; movable, not copyable. Pass it to wait() or wait_all() exactly
/// once. A default-made Request is complete.
class Request {
 public:
  Request() = default;
  explicit Request(RequestState* state) : state_(state) {}
  Request(Request&& other) noexcept : state_(other.state_) { other.state_ = nullptr; }
  Request& operator=(Request&& other) noexcept {
    state_ = other.state_;
    other.state_ = nullptr;
    return *this;
  }

  RequestState* state() const { return state_; }

 private:
  RequestState* state_ = nullptr;
};

/// A small message that needs no matching receive: its sender and one integer.
struct Notification {
  static constexpr double bytes = 4;

  Rank source = 0;
  std::int64_t payload = 0;
};

/// The lifetime of a strand: a run ends when every foreground strand has ended; background strands are then
/// dropped.
enum class StrandKind { foreground, background };

/// All that an algorithm sees of the machine it runs on: one rank of a simulated cluster, or of an MPI job.
///
/// Every call blocks only the calling strand; other strands of the same worker go on. Ranks are 0 …
/// world_size()−1. A worker has three serial resources: its GPU (compute), its message processor (the
/// overhead o of each message), and its reduction unit (accumulate). Strands that want the same resource are
/// served in the order of their requests.
class Worker {
 public:
  virtual ~Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  Rank rank() const { return rank_; }
  int world_size() const { return world_size_; }
  /// The host of a rank, 0 … hosts−1. Ranks of one host share its network interface.
  virtual int host_of(Rank rank) const = 0;

  /// Starts a send. The buffer must not change before wait() has returned: an MPI job sends from the buffer
  /// itself, whatever the eager threshold. Occupies the message processor for o seconds. @throws
  /// CommunicationError if there is no such rank.
  virtual Request isend(Buffer outgoing, Rank destination, Tag tag) = 0;

  /// Posts a receive for the next message from `source` with `tag`, in the order in which they were sent.
  /// The message's element count must be incoming.count(). @throws CommunicationError if there is no such
  /// rank, and from wait() if the counts differ.
  virtual Request irecv(Buffer incoming, Rank source, Tag tag) = 0;

  /// Blocks until the request is complete.
  virtual void wait(Request& request) = 0;
  /// Blocks until all requests are complete; wakes the strand only once.
  virtual void wait_all(std::span<Request> requests) = 0;

  /// Sends one integer, as a message of Notification::bytes that the destination need not expect. Occupies
  /// the message processor for o seconds, but does not block the strand.
  virtual void notify(Rank destination, std::int64_t payload) = 0;

  /// Takes the oldest pending notification, from any rank; blocks while there is none.
  virtual Notification wait_notification() = 0;

  /// wait_notification() for a stepwise strand, which must be the only strand that takes this worker's
  /// notifications. Returns nothing if none is pending; the strand's next step then runs when one is.
  virtual std::optional<Notification> poll_notification() = 0;

  /// Seconds since the run began.
  virtual double now() const = 0;

  /// Suspends the calling strand until `time_s` without occupying any resource; returns at once if that time
  /// is past.
  virtual void sleep_until(double time_s) = 0;

  /// Occupies this worker's GPU for `seconds`, or longer where communication slows it down. @throws
  /// InvariantError if `seconds` is negative or not a number, std::runtime_error if a simulation cannot
  /// represent so long a time.
  virtual void compute(double seconds) = 0;
  /// Occupies the GPU for `seconds` with a delay, which is no computation: communication does not slow it
  /// down.
  virtual void delay(double seconds) { compute(seconds); }

  /// Adds `from` to `into`, element by element, in γ seconds per byte. Both must have the same count and
  /// kind.
  virtual void accumulate(Buffer into, Buffer from) = 0;
  /// True if accumulate() takes no time and slows nothing down. Contributions of several ranks may then as
  /// well be added once all of them have arrived.
  virtual bool accumulates_at_once() const { return false; }

  /// Runs the exchanges one after the other, like a loop of irecv, isend, two waits and accumulate. A world
  /// may run them without waking the strand in between.
  virtual void run_exchanges(ExchangeSequence& sequence, Tag tag);
  /// run_exchanges() for a stepwise strand. The first call begins the exchanges. Returns true once all are
  /// complete; before that returns false, and the strand's next step, which must call again, runs when they
  /// are.
  virtual bool poll_exchanges(ExchangeSequence& sequence, Tag tag) = 0;

  /// Starts another strand of this worker. Everything that `body` refers to must outlive the strand; wait
  /// for its end through an Event.
  virtual void spawn(std::string name, std::function<void()> body,
                     StrandKind kind = StrandKind::foreground) = 0;

  /// Starts a background strand without a stack. `step` is called now, and again whenever the condition that
  /// it waits for may hold. It goes as far as it can without blocking, registers the next condition by a
  /// poll function (poll(), poll_notification(), poll_exchanges()), and returns. A step that returns without
  /// doing so ends the strand. Everything that `step` refers to must outlive the strand.
  virtual void spawn_stepwise(std::string name, std::function<void()> step) = 0;

  /// True if a timeline is recorded; build span names only then.
  virtual bool is_traced() const = 0;
  /// Records in the timeline that this strand did `name` from start_s until now. The worker fills in the
  /// iteration.
  void trace(std::string_view name, double start_s) { trace(name, start_s, {}); }
  virtual void trace(std::string_view name, double start_s, const SpanDetails& details) = 0;

  /// Called by the training strand, for observers of the run: it begins or ends an iteration, or enters
  /// another activity.
  virtual void begin_iteration(std::int64_t) {}
  virtual void end_iteration() {}
  virtual void note(Activity) {}
  /// For critical paths; no effect on times. note_point(): this worker has reached point number `point`
  /// (numbers increase). note_noticed(): the running strand goes on because all workers have reached
  /// `point`, which it noticed when a timer expired.
  virtual void note_point([[maybe_unused]] std::int64_t point) {}
  virtual void note_noticed([[maybe_unused]] std::int64_t point) {}

  void send(Buffer outgoing, Rank destination, Tag tag) {
    Request request = isend(outgoing, destination, tag);
    wait(request);
  }
  void receive(Buffer incoming, Rank source, Tag tag) {
    Request request = irecv(incoming, source, tag);
    wait(request);
  }
  /// Sends and receives at the same time; returns when both are complete.
  void send_receive(Buffer outgoing, Rank destination, Buffer incoming, Rank source, Tag tag) {
    Request receiving = irecv(incoming, source, tag);
    Request sending = isend(outgoing, destination, tag);
    wait(receiving);
    wait(sending);
  }

 protected:
  Worker(Rank rank, int world_size) : rank_(rank), world_size_(world_size) {}

 private:
  friend class Event;
  /// The scheduler on which the strands of this worker synchronize.
  virtual Scheduler& scheduler() = 0;

  Rank rank_;
  int world_size_;
};

}  // namespace starling
