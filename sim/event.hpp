#pragma once

#include <vector>

#include "sim/worker.hpp"

namespace starling {

class Strand;

/// Something that strands of one worker wait for: not set until someone sets it, then set for good (or until
/// reset).
class Event {
 public:
  /// `name` is what a DeadlockError calls it; it must outlive the event (a literal).
  explicit Event(Worker& worker, const char* name = "an event")
      : scheduler_(worker.scheduler()), name_(name) {}
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  bool is_set() const { return is_set_; }
  /// Lets every waiting strand go on, in the order they came.
  void set();
  void reset() { is_set_ = false; }
  /// Returns once the event is set; at once if it is.
  void wait();

 private:
  Scheduler& scheduler_;
  const char* name_;
  bool is_set_ = false;
  std::vector<Strand*> waiting_;
};

}  // namespace starling
