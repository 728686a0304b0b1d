#pragma once

#include <boost/context/fiber.hpp>
#include <cstdint>
#include <functional>
#include <string>

#include "base/fetch.hpp"
#include "base/types.hpp"
#include "sim/agenda/agenda.hpp"
#include "sim/agenda/causes.hpp"
#include "sim/strands/waits_for.hpp"

namespace starling {

class ReadyStrands;

/// A thread of control of one worker: an algorithm's loop, or what goes on beside it. Only the Scheduler
/// makes and runs strands. One that is stepwise has no stack: its body is called again for each step.
class alignas(64) Strand final : public TimedAction {
 public:
  Rank rank() const { return rank_; }
  const std::string& name() const { return name_; }
  const WaitsFor& waits_for() const { return waits_for_; }

  /// Wakes the strand: its entry on the agenda.
  void happen() override;
  void prepare() const override;
  std::uint32_t* ended_step() override { return &step_at_end_; }
  void happen_explained(Causes& causes, double now_s) override;

 private:
  friend class ReadyStrands;
  friend class Scheduler;

  // What a switch touches comes first: it fits one cache line.
  Strand* next_ready_ = nullptr;
  boost::context::fiber own_;              // where the strand goes on, while it does not run
  boost::context::fiber scheduler_point_;  // where the scheduler goes on, while the strand runs
  WaitsFor waits_for_;
  bool is_ready_ = false;
  bool is_alive_ = false;
  bool is_canceled_ = false;  // unwinds when it is resumed
  bool is_background_ = false;
  bool is_stepwise_ = false;
  Rank rank_ = 0;

  std::uint32_t step_at_end_ = 0;
  Causes::Index cause_ = 0;        // of its going on, where someone asks
  ReadyStrands* ready_ = nullptr;  // its scheduler's
  const void* frame_ = nullptr;    // of the call that blocks it
  std::function<void()> body_;
  Strand* next_ended_ = nullptr;  // whose place is free as well
  boost::context::stack_context stack_;
  void* fake_stack_ = nullptr;  // AddressSanitizer's
  std::string name_;
};

/// The strands that can go on, first come first served.
class ReadyStrands {
 public:
  bool is_empty() const { return first_ == nullptr; }

  /// Nothing happens if the strand is among them.
  void add(Strand& strand) {
    if (strand.is_ready_) return;
    strand.is_ready_ = true;
    if (causes_ != nullptr) [[unlikely]]
      strand.cause_ = causes_->current();
    (last_ ? last_->next_ready_ : first_) = &strand;
    last_ = &strand;
  }

  /// Takes the first strand out of the queue, which must not be empty.
  Strand& take() {
    Strand& strand = *first_;
    first_ = strand.next_ready_;
    if (!first_) last_ = nullptr;
    strand.next_ready_ = nullptr;
    strand.is_ready_ = false;
    return strand;
  }

  /// From now on a strand goes on because of what is the cause when it is added.
  void tell(Causes& causes) { causes_ = &causes; }

 private:
  Strand* first_ = nullptr;
  Strand* last_ = nullptr;
  Causes* causes_ = nullptr;
};

inline void Strand::happen() { ready_->add(*this); }
inline void Strand::happen_explained(Causes& causes, double now_s) {
  causes.happens(now_s, step_at_end_);
  happen();
}

/// Asks for the frames that it returns to, if it has a stack.
inline void Strand::prepare() const {
  if (frame_ == nullptr) return;
  fetch(static_cast<const char*>(frame_) - cache_line_bytes, 6);
}

}  // namespace starling
