#pragma once

#include <boost/context/fiber.hpp>
#include <cstdint>
#include <functional>
#include <string>

#include "base/fetch.hpp"
#include "base/types.hpp"
#include "sim/agenda/agenda.hpp"
#include "sim/agenda/causal_log.hpp"
#include "sim/strands/waits_for.hpp"

namespace starling {

class ReadyStrands;

/// A thread of control of one worker: an algorithm's training loop, or an activity beside it. Only the
/// Scheduler creates and runs strands. A stepwise strand has no stack: its body is called again for each
/// step.
class alignas(64) Strand final : public TimedAction {
 public:
  Rank rank() const { return rank_; }
  const std::string& name() const { return name_; }
  const WaitsFor& waits_for() const { return waits_for_; }

  /// Wakes the strand: its entry on the agenda.
  void happen() override;
  void prepare() const override;
  std::uint32_t* ended_step() override { return &step_at_end_; }
  void happen_explained(CausalLog& causes, double now_s) override;

 private:
  friend class ReadyStrands;
  friend class Scheduler;

  // What a switch of strands touches comes first, and fits one cache line.
  Strand* next_ready_ = nullptr;
  boost::context::fiber own_;              // where the strand resumes, while it does not run
  boost::context::fiber scheduler_point_;  // where the scheduler resumes, while the strand runs
  WaitsFor waits_for_;
  bool is_ready_ = false;
  bool is_alive_ = false;
  bool is_canceled_ = false;  // unwinds its stack when it is resumed
  bool is_background_ = false;
  bool is_stepwise_ = false;
  Rank rank_ = 0;

  std::uint32_t step_at_end_ = 0;
  CausalLog::Index cause_ = 0;     // of its being ready, where causes are recorded
  ReadyStrands* ready_ = nullptr;  // its scheduler's
  const void* frame_ = nullptr;    // stack frame of the call that blocks it
  std::function<void()> body_;
  Strand* next_ended_ = nullptr;  // next in the list of ended strands
  boost::context::stack_context stack_;
  void* fake_stack_ = nullptr;  // for AddressSanitizer
  std::string name_;
};

/// The strands that are ready, in FIFO order.
class ReadyStrands {
 public:
  bool is_empty() const { return first_ == nullptr; }

  /// Appends a strand; does nothing if it is in the queue already.
  void add(Strand& strand) {
    if (strand.is_ready_) return;
    strand.is_ready_ = true;
    if (causes_ != nullptr) [[unlikely]]
      strand.cause_ = causes_->current();
    (last_ ? last_->next_ready_ : first_) = &strand;
    last_ = &strand;
  }

  /// Removes and returns the first strand of the queue, which must not be empty.
  Strand& take() {
    Strand& strand = *first_;
    first_ = strand.next_ready_;
    if (!first_) last_ = nullptr;
    strand.next_ready_ = nullptr;
    strand.is_ready_ = false;
    return strand;
  }

  /// From now on records, for each strand that is added, the current step of `causes` as the cause.
  void record_causes(CausalLog& causes) { causes_ = &causes; }

 private:
  Strand* first_ = nullptr;
  Strand* last_ = nullptr;
  CausalLog* causes_ = nullptr;
};

inline void Strand::happen() { ready_->add(*this); }
inline void Strand::happen_explained(CausalLog& causes, double now_s) {
  causes.happens(now_s, step_at_end_);
  happen();
}

/// Prefetches the stack frames that the strand returns to, if it has a stack.
inline void Strand::prepare() const {
  if (frame_ == nullptr) return;
  fetch(static_cast<const char*>(frame_) - cache_line_bytes, 6);
}

}  // namespace starling
