#include "sim/strands/scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/errors.hpp"
#include "sim/strands/address_sanitizer.hpp"

#ifdef STARLING_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif

namespace starling {

namespace {

/// Thrown in a strand that is dropped before its end, so that the objects on its stack are destroyed.
struct StrandCanceled {};

/// A stack allocator for boost::context::fiber that returns a stack which the strand already owns.
struct StackOfStrand {
  boost::context::stack_context stack;
  boost::context::stack_context allocate() const { return stack; }
  void deallocate(boost::context::stack_context&) const {}
};

// AddressSanitizer must be notified of switches of stacks: announce before a switch, confirm after it.
#ifdef STARLING_ADDRESS_SANITIZER
void announce_switch(void** fake_stack, const void* bottom, std::size_t bytes) {
  __sanitizer_start_switch_fiber(fake_stack, bottom, bytes);
}
void confirm_switch(void* fake_stack, const void** old_bottom, std::size_t* old_bytes) {
  __sanitizer_finish_switch_fiber(fake_stack, old_bottom, old_bytes);
}
#else
void announce_switch(void**, const void*, std::size_t) {}
void confirm_switch(void*, const void**, std::size_t*) {}
#endif

const void* bottom_of(const boost::context::stack_context& stack) {
  return static_cast<const char*>(stack.sp) - stack.size;
}

}  // namespace

Scheduler::~Scheduler() { drop_all(); }

void Scheduler::reach(double time_s) {
  STARLING_INVARIANT(time_s >= now_s_);
  now_s_ = time_s;
}

Strand& Scheduler::new_strand(Rank rank, std::string name, std::function<void()> body) {
  Strand& strand = ended_ ? *std::exchange(ended_, ended_->next_ended_) : strands_.emplace_back();
  strand.ready_ = &ready_;
  strand.rank_ = rank;
  strand.name_ = std::move(name);
  strand.body_ = std::move(body);
  strand.is_canceled_ = false;
  strand.is_alive_ = true;
  make_ready(strand);
  return strand;
}

void Scheduler::spawn(Rank rank, std::string name, std::function<void()> body, bool is_background) {
  Strand& strand = new_strand(rank, std::move(name), std::move(body));
  strand.is_background_ = is_background;
  strand.is_stepwise_ = false;
  if (!is_background) ++foreground_;
}

void Scheduler::spawn_stepwise(Rank rank, std::string name, std::function<void()> step) {
  Strand& strand = new_strand(rank, std::move(name), std::move(step));
  strand.is_background_ = strand.is_stepwise_ = true;
}

void Scheduler::start(Strand& strand) {
  strand.stack_ = stacks_.take();
  strand.fake_stack_ = nullptr;
  strand.own_ = boost::context::fiber(std::allocator_arg, StackOfStrand{strand.stack_},
                                      [this, &strand](boost::context::fiber&& scheduler_point) {
                                        confirm_switch(nullptr, &own_stack_bottom_, &own_stack_bytes_);
                                        strand.scheduler_point_ = std::move(scheduler_point);
                                        try {
                                          strand.body_();
                                        } catch (const StrandCanceled&) {
                                        } catch (...) {
                                          if (!failure_) failure_ = std::current_exception();
                                        }
                                        strand.is_alive_ = false;
                                        announce_switch(nullptr, own_stack_bottom_, own_stack_bytes_);
                                        return std::move(strand.scheduler_point_);
                                      });
}

void Scheduler::record_causes(CausalLog& causes) {
  causes_ = &causes;
  ready_.record_causes(causes);
}

void Scheduler::resume(Strand& strand) {
  if (causes_ != nullptr) causes_->set_current(strand.cause_);
  if (strand.is_stepwise_) return step(strand);
  if (!strand.own_) start(strand);
  current_ = &strand;
  void* fake_stack = nullptr;
  announce_switch(&fake_stack, bottom_of(strand.stack_), strand.stack_.size);
  strand.own_ = std::move(strand.own_).resume();
  confirm_switch(fake_stack, nullptr, nullptr);
  current_ = nullptr;
  if (strand.is_alive_) return;
  stacks_.give_back(strand.stack_);
  if (!strand.is_background_) --foreground_;
  end(strand);
}

void Scheduler::step(Strand& strand) {
  current_ = &strand;
  strand.waits_for_ = {};
  try {
    strand.body_();
  } catch (...) {
    if (!failure_) failure_ = std::current_exception();
  }
  current_ = nullptr;
  if (strand.waits_for_.what != WaitsFor::What::nothing) return;
  strand.is_alive_ = false;
  end(strand);
}

void Scheduler::end(Strand& strand) {
  strand.body_ = nullptr;
  strand.next_ended_ = std::exchange(ended_, &strand);
}

void Scheduler::block(const WaitsFor& waits_for) {
  Strand& strand = *current_;
  strand.waits_for_ = waits_for;
  strand.frame_ = __builtin_frame_address(0);
  announce_switch(&strand.fake_stack_, own_stack_bottom_, own_stack_bytes_);
  strand.scheduler_point_ = std::move(strand.scheduler_point_).resume();
  confirm_switch(strand.fake_stack_, &own_stack_bottom_, &own_stack_bytes_);
  if (strand.is_canceled_) throw StrandCanceled();
}

void Scheduler::sleep_until(double time_s, Blame blame, CausalLog::Turn* turn) {
  if (time_s <= now_s_) return;
  at(time_s, current(), blame, turn);
  block_until(time_s);
}

void Scheduler::sleep_until_end_of(CausalLog::Index step, double time_s) {
  if (time_s <= now_s_) {
    if (causes_ != nullptr) causes_->set_current(step);
    return;
  }
  at_end_of(step, time_s, current());
  block_until(time_s);
}

/// Blocks the running strand, which is on the agenda at `time_s`, until then.
void Scheduler::block_until(double time_s) {
  do {
    block({.what = WaitsFor::What::time});
  } while (now_s_ < time_s);
}

void Scheduler::run_ready() {
  while (!ready_.is_empty() && !failure_) resume(ready_.take());
}

/// Not inlined, to keep it out of the hot path of runs that record no causes.
[[gnu::noinline]] void Scheduler::explain(TimedAction& action) { action.happen_explained(*causes_, now_s_); }

/// Processes the next event. Returns false if there will never be one.
bool Scheduler::advance() {
  if (time_source_) {
    const double limit_s =
        agenda_.is_empty() ? std::numeric_limits<double>::infinity() : agenda_.next_time_s();
    if (limit_s > now_s_) {
      const double reached_s = time_source_->advance(limit_s);
      if (reached_s < limit_s || !ready_.is_empty()) return true;
    }
  }
  if (agenda_.is_empty()) return false;
  TimedAction& action = agenda_.take();
  now_s_ = agenda_.last_time_s();
  ++events_;
  if (causes_ != nullptr) [[unlikely]]
    explain(action);
  else
    action.happen();
  return true;
}

void Scheduler::run() {
  while (true) {
    run_ready();
    if (failure_) {
      drop_all();
      std::rethrow_exception(std::exchange(failure_, nullptr));
    }
    if (foreground_ == 0) break;
    if (!advance()) throw_deadlock();
  }
  drop_all();
}

/// Unwinds the stack of every strand that has not ended.
void Scheduler::drop_all() {
  for (Strand& strand : strands_) {
    if (!strand.is_alive_) continue;
    if (strand.own_) {
      strand.is_canceled_ = true;
      resume(strand);
    } else {
      strand.is_alive_ = false;
      strand.body_ = nullptr;
    }
  }
  while (!ready_.is_empty()) ready_.take();
}

void Scheduler::throw_deadlock() const {
  constexpr std::int64_t listed = 20;
  const auto waiting =
      std::count_if(strands_.begin(), strands_.end(), [](const Strand& s) { return s.is_alive_; });
  std::string text =
      fmt::format("deadlock at {} s: {} strands wait and no event is pending", now_s_, waiting);
  std::int64_t count = 0;
  for (const Strand& strand : strands_) {
    if (!strand.is_alive_ || ++count > listed) continue;
    text += fmt::format("\n  rank {} ({}) {}", strand.rank(), strand.name(), describe(strand.waits_for()));
  }
  if (waiting > listed) text += fmt::format("\n  … and {} more", waiting - listed);
  throw DeadlockError(text);
}

}  // namespace starling
