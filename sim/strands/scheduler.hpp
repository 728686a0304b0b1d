#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <string>

#include "base/types.hpp"
#include "sim/agenda/agenda.hpp"
#include "sim/agenda/causes.hpp"
#include "sim/strands/stack_pool.hpp"
#include "sim/strands/strand.hpp"

namespace starling {

/// What besides the agenda moves time forward: a network model with a clock of its own, or a real machine.
class TimeSource {
 public:
  virtual ~TimeSource() = default;

  /// Lets time pass until `limit_s` (infinity: until something happens), or until the first moment before it
  /// at which something happened. Calls Scheduler::reach() with a moment before it hands over what happened
  /// then. Returns the time reached; infinity if limit_s is infinite and nothing will ever happen, which a
  /// real machine cannot know.
  virtual double advance(double limit_s) = 0;
};

/// Runs strands in time order: first all that are ready, first come first served, then the next entry of the
/// agenda.
///
/// One thread, no preemption: a strand runs until it blocks. Everything that blocks in Starling blocks here.
class Scheduler {
 public:
  explicit Scheduler(TimeSource* time_source = nullptr) : time_source_(time_source) {}
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  double now() const { return now_s_; }
  /// Entries of the agenda that were due so far.
  std::uint64_t events() const { return events_; }

  /// Puts an action on the agenda. @throws InvariantError if the time is past or not finite.
  void at(double time_s, TimedAction& action) {
    STARLING_INVARIANT(time_s >= now_s_ && time_s <= std::numeric_limits<double>::max());
    agenda_.put(time_s, action);
  }

  /// at(), recording for Causes that the time from now until then is spent as `blame` says.
  void at(double time_s, TimedAction& action, Blame blame, Causes::Turn* turn = nullptr) {
    if (causes_ != nullptr) [[unlikely]]
      causes_->because(now_s_, time_s, action, blame, turn);
    at(time_s, action);
  }

  /// at(), recording for Causes that `latency_s` of the time from now until then is latency.
  void at_after_latency(double time_s, TimedAction& action, double latency_s) {
    if (causes_ != nullptr) [[unlikely]]
      causes_->because_of_latency(now_s_, time_s, action, latency_s);
    at(time_s, action);
  }

  /// at() of an action that ends a step which Causes know already, where they are asked.
  void at_end_of(Causes::Index step, double time_s, TimedAction& action) {
    if (causes_ != nullptr) Causes::ends(action, step);
    at(time_s, action);
  }

  /// From now on records in `causes`, which must outlive this object, why things happen when they do.
  void tell(Causes& causes);
  /// Where that is recorded; null if it is not.
  Causes* causes() const { return causes_; }

  /// Advances now() to `time_s`; for a TimeSource. @throws InvariantError if that is past.
  void reach(double time_s);

  /// Starts a strand, which is ready now. Background strands do not keep run() going.
  void spawn(Rank rank, std::string name, std::function<void()> body, bool is_background = false);

  /// Starts a background strand that has no stack, and so takes a few hundred bytes where another takes
  /// thousands. `step` is called now, and again whenever what it waits for may have happened: it goes on as
  /// far as it can and returns what waits_next() was told, or has ended. It must not block.
  void spawn_stepwise(Rank rank, std::string name, std::function<void()> step);
  /// What the running stepwise strand waits for once its step returns; it ends if it waits for nothing.
  void waits_next(const WaitsFor& waits_for) { current_->waits_for_ = waits_for; }

  /// The strand that is running. Must be called from one.
  Strand& current() const { return *current_; }

  /// Suspends the running strand until someone makes it ready. May return without reason: check in a loop
  /// what it waited for.
  void block(const WaitsFor& waits_for);

  /// Lets a blocked strand go on, after those that are ready already. Nothing happens if it is ready.
  void make_ready(Strand& strand) { ready_.add(strand); }

  /// Suspends the running strand until `time_s`; returns at once if that is now or past.
  void sleep_until(double time_s, Blame blame = {}, Causes::Turn* turn = nullptr);

  /// The same, where a step ends then that Causes know already, if they are asked.
  void sleep_until_end_of(Causes::Index step, double time_s);

  /// Runs until every foreground strand has ended; then drops the background strands. What leaves a strand as
  /// an exception leaves run(), too. @throws DeadlockError if foreground strands wait and nothing will
  /// happen.
  void run();

 private:
  Strand& new_strand(Rank rank, std::string name, std::function<void()> body);
  void start(Strand& strand);
  void resume(Strand& strand);
  void step(Strand& strand);
  void end(Strand& strand);
  void block_until(double time_s);
  void run_ready();
  void explain(TimedAction& action);
  bool advance();
  void drop_all();
  [[noreturn]] void throw_deadlock() const;

  TimeSource* time_source_;
  StackPool stacks_;
  Agenda agenda_;
  double now_s_ = 0;
  std::uint64_t events_ = 0;
  Causes* causes_ = nullptr;
  Strand* current_ = nullptr;
  ReadyStrands ready_;
  std::int64_t foreground_ = 0;
  std::exception_ptr failure_;
  std::deque<Strand> strands_;
  Strand* ended_ = nullptr;                 // the first of those whose places are free
  const void* own_stack_bottom_ = nullptr;  // AddressSanitizer's
  std::size_t own_stack_bytes_ = 0;
};

}  // namespace starling
