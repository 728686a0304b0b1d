#include "sim/event.hpp"

#include "sim/strands/scheduler.hpp"

namespace starling {

void Event::set() {
  is_set_ = true;
  ++times_set_;
  for (Strand* strand : waiting_) scheduler_.make_ready(*strand);
  waiting_.clear();
}

bool Event::poll() {
  if (is_set_) return true;
  waiting_.push_back(&scheduler_.current());
  scheduler_.waits_next({.what = WaitsFor::What::event, .name = name_});
  return false;
}

void Event::let_go_at(double time_s, CausalLog::Index step) {
  ++times_set_;
  for (Strand* strand : waiting_) scheduler_.at_end_of(step, time_s, *strand);
  waiting_.clear();
}

void Event::wait_until(double time_s, CausalLog::Index step) { scheduler_.sleep_until_end_of(step, time_s); }

void Event::wait() {
  if (is_set_) return;
  const std::uint64_t times_set_before = times_set_;
  while (times_set_ == times_set_before) {
    waiting_.push_back(&scheduler_.current());
    scheduler_.block({.what = WaitsFor::What::event, .name = name_});
  }
}

}  // namespace starling
