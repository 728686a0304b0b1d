#include "sim/simulated/contended_gpu.hpp"

#include <algorithm>

#include "base/errors.hpp"

namespace starling {

void ContendedGpu::occupy(double seconds, bool is_delay) {
  STARLING_INVARIANT(seconds >= 0 && seconds <= std::numeric_limits<double>::max());
  if (seconds == 0 && computations_.empty()) return;
  Computation own{.strand = &scheduler_.current(), .left_s = seconds, .is_delay = is_delay};
  computations_.push_back(&own);
  if (computations_.size() == 1) begin_first();
  while (!own.is_done) scheduler_.block({.what = WaitsFor::What::time});
}

/// Counts a communication that begins (1) or ends (−1).
void ContendedGpu::count_communication(int change) {
  STARLING_INVARIANT(communications_ + change >= 0);
  const bool matters = communications_ == 0 || communications_ + change == 0;
  if (matters) settle();
  communications_ += change;
  if (matters) schedule_end();
}

/// The factor by which the running computation takes longer at the moment.
double ContendedGpu::stretch() const {
  return communications_ > 0 && !computations_.front()->is_delay ? 1 + slowdown_ : 1;
}

void ContendedGpu::begin_first() {
  settled_s_ = scheduler_.now();
  if (CausalLog* const causes = scheduler_.causes()) begun_because_ = causes->current(settled_s_);
  schedule_end();
}

/// Subtracts what was computed since the last update from what is left.
void ContendedGpu::settle() {
  if (computations_.empty()) return;
  Computation& first = *computations_.front();
  const double now_s = scheduler_.now();
  first.left_s = std::max(0.0, first.left_s - (now_s - settled_s_) / stretch());
  settled_s_ = now_s;
}

void ContendedGpu::schedule_end() {
  if (computations_.empty()) return;
  end_s_ = settled_s_ + computations_.front()->left_s * stretch();
  if (end_s_ >= alarm_s_) return;
  alarm_s_ = end_s_;
  scheduler_.at(end_s_, *this);
}

void ContendedGpu::happen() {
  if (scheduler_.now() < alarm_s_) return;
  alarm_s_ = never_s;
  if (computations_.empty()) return;
  if (scheduler_.now() < end_s_) {
    alarm_s_ = end_s_;
    scheduler_.at(end_s_, *this);
    return;
  }
  Computation& first = *computations_.front();
  first.is_done = true;
  if (CausalLog* const causes = scheduler_.causes())
    causes->set_current(causes->add(end_s_, begun_because_,
                                    {first.is_delay ? SpentOn::delay : SpentOn::compute, network_rank_}));
  scheduler_.make_ready(*first.strand);
  computations_.pop_front();
  if (!computations_.empty()) begin_first();
}

}  // namespace starling
