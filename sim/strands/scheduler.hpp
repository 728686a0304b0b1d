#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <string>

#include "base/types.hpp"
#include "sim/agenda/agenda.hpp"
#include "sim/agenda/causal_log.hpp"
#include "sim/strands/stack_pool.hpp"
#include "sim/strands/strand.hpp"

namespace starling {

/// A source of events and of time besides the agenda: a network model with a clock of its own, or a real
/// machine.
class TimeSource {
 public:
  virtual ~TimeSource() = default;

  /// Advances time to `limit_s` (infinity: until something happens), or to the first moment before it at
  /// which something happened. Calls Scheduler::reach() with a moment before reporting what happened then.
  /// Returns the time reached: infinity if limit_s is infinite and nothing will ever happen, which a real
  /// machine cannot know.
  virtual double advance(double limit_s) = 0;
};

/// Runs strands in time order: first all that are ready, in FIFO order, then the next entry of the agenda.
///
/// One thread, no preemption: a strand runs until it blocks. Everything that blocks in Starling blocks here.
class Scheduler {
 public:
  explicit Scheduler(TimeSource* time_source = nullptr) : time_source_(time_source) {}
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  double now() const { return now_s_; }
  /// The number of entries of the agenda that have been processed.
  std::uint64_t events() const { return events_; }

  /// Puts an action on the agenda. @throws InvariantError if the time is in the past or not finite.
  void at(double time_s, TimedAction& action) {
    STARLING_INVARIANT(time_s >= now_s_ && time_s <= std::numeric_limits<double>::max());
    agenda_.put(time_s, action);
  }

  /// at(); where causes are recorded, the time from now until `time_s` is spent as `blame` says. `turn` as
  /// for CausalLog::because().
  void at(double time_s, TimedAction& action, Blame blame, CausalLog::Turn* turn = nullptr) {
    if (causes_ != nullptr) [[unlikely]]
      causes_->because(now_s_, time_s, action, blame, turn);
    at(time_s, action);
  }

  /// at(); where causes are recorded, `latency_s` of the time from now until `time_s` is latency.
  void at_after_latency(double time_s, TimedAction& action, double latency_s) {
    if (causes_ != nullptr) [[unlikely]]
      causes_->because_of_latency(now_s_, time_s, action, latency_s);
    at(time_s, action);
  }

  /// at() for an action that ends a step already recorded in the CausalLog, if there is one.
  void at_end_of(CausalLog::Index step, double time_s, TimedAction& action) {
    if (causes_ != nullptr) CausalLog::ends(action, step);
    at(time_s, action);
  }

  /// From now on records the causes of events in `causes`, which must outlive this object.
  void record_causes(CausalLog& causes);
  /// The causal log of the run; null if causes are not recorded.
  CausalLog* causes() const { return causes_; }

  /// Advances now() to `time_s`; for a TimeSource. @throws InvariantError if `time_s` is in the past.
  void reach(double time_s);

  /// Starts a strand, which is ready at once. Background strands do not keep run() going.
  void spawn(Rank rank, std::string name, std::function<void()> body, bool is_background = false);

  /// Starts a background strand without a stack, which takes a few hundred bytes instead of thousands.
  /// `step` is called now, and again whenever the condition that it waits for may hold. It goes as far as it
  /// can without blocking, calls waits_next() and returns; a step that returns without that call ends the
  /// strand. It must not block.
  void spawn_stepwise(Rank rank, std::string name, std::function<void()> step);
  /// Sets the condition that the running stepwise strand waits for after its step returns. Without such a
  /// call the strand ends.
  void waits_next(const WaitsFor& waits_for) { current_->waits_for_ = waits_for; }

  /// The running strand. Must be called from a strand.
  Strand& current() const { return *current_; }

  /// Suspends the running strand until make_ready(). May return spuriously: call it in a loop that checks
  /// the condition.
  void block(const WaitsFor& waits_for);

  /// Makes a blocked strand ready, behind those that are ready already. Does nothing if it is ready.
  void make_ready(Strand& strand) { ready_.add(strand); }

  /// Suspends the running strand until `time_s`; returns at once if that is now or past. `blame` and `turn`
  /// as for at().
  void sleep_until(double time_s, Blame blame = {}, CausalLog::Turn* turn = nullptr);

  /// sleep_until() the end of a step already recorded in the CausalLog, if there is one.
  void sleep_until_end_of(CausalLog::Index step, double time_s);

  /// Runs until every foreground strand has ended, then drops the background strands. An exception that
  /// leaves a strand is rethrown here. @throws DeadlockError if foreground strands wait and no event is
  /// pending.
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
  CausalLog* causes_ = nullptr;
  Strand* current_ = nullptr;
  ReadyStrands ready_;
  std::int64_t foreground_ = 0;
  std::exception_ptr failure_;
  std::deque<Strand> strands_;
  Strand* ended_ = nullptr;                 // head of the list of ended strands, to be reused
  const void* own_stack_bottom_ = nullptr;  // for AddressSanitizer
  std::size_t own_stack_bytes_ = 0;
};

}  // namespace starling
