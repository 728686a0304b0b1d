#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>

#include "sim/agenda/causes.hpp"
#include "sim/worker.hpp"

namespace starling {

class Strand;

/// Something that strands of one worker wait for: not set until someone sets it, then set for good (or until
/// reset).
///
/// Several strands may wait for a change of what they share: each looks whether it can go on, and if not
/// resets, waits and looks again. What one resets takes no other's wake-up away.
class Event {
 public:
  /// `name` is what a DeadlockError calls it; it must outlive the event (a literal).
  explicit Event(Worker& worker, const char* name = "an event")
      : scheduler_(worker.scheduler()), name_(name) {}
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  /// Lets every waiting strand go on, in the order they came.
  void set();
  /// Lets every waiting strand go on at that time, and leaves the event as it is: who waits from now on waits
  /// for another call. `step`: the one that ends then, where Causes are asked.
  void let_go_at(double time_s, Causes::Index step = 0);
  /// Suspends the running strand until then, whether the event is set or not.
  void wait_until(double time_s, Causes::Index step = 0);
  void reset() { is_set_ = false; }
  /// Returns once the event is set, also if it is reset before this strand's turn comes; at once if it is
  /// set.
  void wait();
  /// wait() for a stepwise strand: true if the event is set; else the strand's next step comes when it is.
  bool poll();

 private:
  Scheduler& scheduler_;
  const char* name_;
  bool is_set_ = false;
  std::uint64_t times_set_ = 0;
  boost::container::small_vector<Strand*, 1> waiting_;
};

}  // namespace starling
