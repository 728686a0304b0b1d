#pragma once

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "sim/agenda.hpp"

namespace starling {

class Scheduler;

struct WaitsFor;

/// Whoever a strand left its waiting to: knows what is waited for just now.
class WaitsOnBehalf {
 public:
  virtual ~WaitsOnBehalf() = default;
  virtual WaitsFor waits_for() const = 0;
};

/// What a blocked strand waits for; put into prose only when a run deadlocks.
struct WaitsFor {
  enum class What { nothing, time, message, sending, any_request, notification, event, others };
  What what = What::nothing;
  Rank peer = -1;
  Tag tag = 0;
  const char* name = "";                  // of the event
  const WaitsOnBehalf* others = nullptr;  // who wait for this strand
};

/// The stacks that strands run on, reused when a strand has ended.
///
/// One mapping holds many stacks; a page takes memory once it is touched, so a strand costs 8 to 12 KiB.
/// Below each of the first 8,192 stacks lies a page that cannot be touched (the kernel's limit on mappings
/// leaves no room for more).
class StackPool {
 public:
  StackPool() = default;
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  /// A stack as boost::context::fiber wants it: sp is its upper end.
  boost::context::stack_context take();
  void give_back(const boost::context::stack_context& stack) { free_.push_back(stack); }

 private:
  void add_slab();

  std::vector<void*> slabs_;
  std::vector<boost::context::stack_context> free_;
};

/// A thread of control of one worker: an algorithm's loop, or what goes on beside it. Only the Scheduler
/// makes and runs strands.
class alignas(64) Strand final : public TimedAction {
 public:
  Rank rank() const { return rank_; }
  const std::string& name() const { return name_; }
  const WaitsFor& waits_for() const { return waits_for_; }

  /// Wakes the strand: its entry on the agenda.
  void happen() override;

 private:
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
  Rank rank_ = 0;

  Scheduler* scheduler_ = nullptr;
  boost::context::stack_context stack_;
  void* fake_stack_ = nullptr;  // AddressSanitizer's
  std::string name_;
  std::function<void()> body_;
};

}  // namespace starling
