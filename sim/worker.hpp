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

/// A send or receive under way. Moves, never copies; wait() on it exactly once. A default-made Request is
/// complete.
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

/// A small message that nobody had to ask for: who sent it, and one integer.
struct Notification {
  static constexpr double bytes = 4;

  Rank source = 0;
  std::int64_t payload = 0;
};

/// How long a worker lives: a run ends when every foreground strand has ended, background strands are then
/// dropped.
enum class StrandKind { foreground, background };

/// All that an algorithm sees of the machine it runs on: one rank of a simulated cluster, or of an MPI job.
///
/// Every call blocks the calling strand only; other strands of the same worker go on. Ranks are 0 …
/// world_size()−1. A worker has three serial resources: its GPU (compute), its message processor (per-message
/// overhead o), and its reduction unit (accumulate): strands that want the same one take turns in the order
/// they asked.
class Worker {
 public:
  virtual ~Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  Rank rank() const { return rank_; }
  int world_size() const { return world_size_; }
  /// The host a rank runs on, 0 … hosts−1; ranks of one host share its network interface.
  virtual int host_of(Rank rank) const = 0;

  /// Starts sending. The buffer must not change before wait() has returned: an MPI job sends from the
  /// buffer itself, whatever the eager threshold. Occupies the message processor for o seconds.
  /// @throws CommunicationError if there is no such rank.
  virtual Request isend(Buffer outgoing, Rank destination, Tag tag) = 0;

  /// Asks for the next message from `source` with `tag`, in the order they were sent. Its element count must
  /// be incoming.count(). @throws CommunicationError from wait() if it is not.
  virtual Request irecv(Buffer incoming, Rank source, Tag tag) = 0;

  /// Returns when the request is complete.
  virtual void wait(Request& request) = 0;
  /// Returns when all of them are, having slept once.
  virtual void wait_all(std::span<Request> requests) = 0;

  /// Sends one integer that arrives like a message of Notification::bytes. The destination need not expect
  /// it. Occupies the message processor for o, but the strand goes on at once.
  virtual void notify(Rank destination, std::int64_t payload) = 0;

  /// The oldest notification not yet taken, from anyone; waits for one if there is none.
  virtual Notification wait_notification() = 0;

  /// wait_notification() for a stepwise strand, the only one that takes this worker's notifications: nothing
  /// if there is none yet; the strand's next step then comes when there is one.
  virtual std::optional<Notification> poll_notification() = 0;

  /// Seconds since the run began.
  virtual double now() const = 0;

  /// Suspends this strand until then, the worker's resources left free; returns at once if that is past.
  virtual void sleep_until(double time_s) = 0;

  /// Occupies this worker's GPU for that long, or longer where communication slows it down. @throws
  /// InvariantError if seconds is negative or not finite.
  virtual void compute(double seconds) = 0;
  /// Occupies the GPU for that long with something that is no computation but delays those to come:
  /// communication does not slow it down.
  virtual void delay(double seconds) { compute(seconds); }

  /// into += from, element by element, in γ seconds per byte. Both must have the same count and kind.
  virtual void accumulate(Buffer into, Buffer from) = 0;
  /// True if that takes no time and slows nothing down: then what comes from several may as well be added
  /// when all of it is there.
  virtual bool accumulates_at_once() const { return false; }

  /// Runs exchanges one after the other: receive and send at the same time, wait for both, add up; what a
  /// loop of irecv, isend, wait and accumulate does. A world may do it without waking the strand in between.
  virtual void run_exchanges(ExchangeSequence& sequence, Tag tag);
  /// run_exchanges() for a stepwise strand: begins the exchanges when it is called first, and returns true
  /// once all are complete; until then the strand's next step comes when they are, and must call it again.
  virtual bool poll_exchanges(ExchangeSequence& sequence, Tag tag) = 0;

  /// Starts another strand of this worker. What `body` refers to must outlive it: meet it through an Event.
  virtual void spawn(std::string name, std::function<void()> body,
                     StrandKind kind = StrandKind::foreground) = 0;

  /// Starts a background strand that needs no stack: `step` is called now, and again whenever what it waits
  /// for may have happened. It goes on as far as it can without waiting, then asks a poll() what comes next,
  /// and returns; it has ended when it returns without. What it refers to must outlive it.
  virtual void spawn_stepwise(std::string name, std::function<void()> step) = 0;

  /// True if someone keeps a timeline; build span names only then.
  virtual bool is_traced() const = 0;
  /// Notes in the timeline that this strand did `name` from start_s until now. It knows the iteration itself.
  void trace(std::string_view name, double start_s) { trace(name, start_s, {}); }
  virtual void trace(std::string_view name, double start_s, const SpanDetails& details) = 0;

  /// What the running strand, which trains, tells whoever watches: it begins or ends an iteration, or
  /// is at something else from now on.
  virtual void begin_iteration(std::int64_t) {}
  virtual void end_iteration() {}
  virtual void note(Activity) {}
  /// For critical paths, no effect on times. note_point(): this worker has reached point number `point`
  /// (numbers grow). note_noticed(): the running strand goes on because all workers have reached `point`,
  /// which a timer let it notice.
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
  /// What strands of this worker meet on.
  virtual Scheduler& scheduler() = 0;

  Rank rank_;
  int world_size_;
};

}  // namespace starling
