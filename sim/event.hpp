#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>

#include "sim/agenda/causal_log.hpp"
#include "sim/worker.hpp"

namespace starling {

class Strand;

/// A condition that strands of one worker wait for. It is unset at first, and once set stays set until
/// reset().
///
/// Several strands may wait for a change of shared state: each checks whether it can proceed and, if not,
/// resets the event, waits and checks again. A reset by one strand does not cancel the wake-up of another.
class Event {
 public:
  /// `name` is how a DeadlockError names the event. It must outlive the event, as a string literal does.
  explicit Event(Worker& worker, const char* name = "an event")
      : scheduler_(worker.scheduler()), name_(name) {}
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  /// Sets the event and makes every waiting strand ready, in the order in which they began to wait.
  void set();
  /// Makes the strands that wait now ready at `time_s`, without setting the event: strands that begin to
  /// wait later are not woken by this call. Where causes are recorded, `step` is the step of the CausalLog
  /// that ends at `time_s`.
  void let_go_at(double time_s, CausalLog::Index step = 0);
  /// Suspends the running strand until `time_s`, whether or not the event is set. `step` as for let_go_at().
  void wait_until(double time_s, CausalLog::Index step = 0);
  void reset() { is_set_ = false; }
  /// Blocks the running strand until the event is set; returns at once if it is set already. A strand that
  /// set() has woken returns even if the event is reset before the strand runs.
  void wait();
  /// wait() for a stepwise strand: returns true if the event is set. If not, returns false, and the strand's
  /// next step runs once the event is set.
  bool poll();

 private:
  Scheduler& scheduler_;
  const char* name_;
  bool is_set_ = false;
  std::uint64_t times_set_ = 0;
  boost::container::small_vector<Strand*, 1> waiting_;
};

}  // namespace starling
