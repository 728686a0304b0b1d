#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "sim/agenda.hpp"
#include "sim/strand.hpp"
#include "sim/types.hpp"

namespace starling {

/// What besides the agenda moves time forward: a network model with a clock of its own, or a real machine.
class TimeSource {
 public:
  virtual ~TimeSource() = default;

  /// Lets time pass until `limit_s` (infinity: until something happens), or until the first moment before it at which something
  /// was handed to the scheduler. Returns the time reached; infinity if nothing will ever happen and limit_s is infinite.
  virtual double advance(double limit_s) = 0;
};

/// Runs strands in time order: first all that are ready, first come first served, then time moves to the next entry of the agenda.
///
/// One thread, no preemption: a strand runs until it blocks. Everything that blocks in Starling blocks here.
class Scheduler {
 public:
  explicit Scheduler(TimeSource* time_source = nullptr) : time_source_(time_source) {}
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  double now() const { return now_s_; }
  std::uint64_t events() const { return events_; }

  /// Puts an action on the agenda. @throws InvariantError if the time is past or not finite.
  void at(double time_s, TimedAction& action);

  /// Starts a strand, which becomes ready now. Background strands do not keep run() going.
  void spawn(Rank rank, std::string name, std::function<void()> body, bool is_background);

  /// The strand that is running. Must be called from one.
  Strand& current() const { return *current_; }

  /// Suspends the running strand until someone makes it ready. `waits_for` is what a DeadlockError says of it.
  void block(WaitsFor waits_for);
  /// Lets a blocked strand go on, after those that are ready already.
  void make_ready(Strand& strand);

  /// Suspends the running strand until `time_s`; returns at once if that is now.
  void sleep_until(double time_s);

  /// Runs until every foreground strand has ended. @throws DeadlockError, or whatever leaves a strand.
  void run();

  /// How a DeadlockError names the thing behind WaitsFor::object; set by the world.
  using Describe = std::function<std::string(const Strand&)>;
  void set_describe(Describe describe) { describe_ = std::move(describe); }

 private:
  void run_ready();
  void resume(Strand& strand);
  bool advance();
  [[noreturn]] void throw_deadlock() const;

  TimeSource* time_source_;
  Agenda agenda_;
  Describe describe_;
  double now_s_ = 0;
  std::uint64_t events_ = 0;
  Strand* current_ = nullptr;
  Strand* first_ready_ = nullptr;
  Strand* last_ready_ = nullptr;
  std::int64_t foreground_ = 0;
  std::exception_ptr failure_;
  StackPool stacks_;
  std::vector<std::unique_ptr<Strand>> strands_;
  std::vector<Strand*> unused_;
};

}  // namespace starling
