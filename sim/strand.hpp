#pragma once

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "sim/agenda.hpp"
#include "sim/types.hpp"

namespace starling {

/// What a blocked strand waits for, in the few words that fit beside it; put into prose only when a run deadlocks.
struct WaitsFor {
  enum class What { nothing, time, message, send, any_request, notification, event, queue, turn };
  What what = What::nothing;
  Rank peer = -1;
  Tag tag = 0;
  const char* name = "";  // of an Event or Queue
};

/// The stacks that strands run on, reused when a strand ends.
///
/// One mapping holds many stacks; a page becomes real memory when it is first touched, so an idle worker costs about
/// 8 KiB. Stack tops are spread over the cache's sets. Below each stack lies an inaccessible page while there are
/// fewer than 8,192 of them (the kernel's limit on mappings leaves no room for more).
class StackPool {
 public:
  static std::size_t stack_bytes();

  StackPool() = default;
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  /// For boost::context::fiber.
  boost::context::stack_context allocate();
  void deallocate(boost::context::stack_context& stack);

 private:
  struct Slab {
    void* memory;
    std::size_t bytes;
  };
  void add_slab();

  std::vector<Slab> slabs_;
  std::vector<char*> free_;  // lowest usable address of each free stack
  std::size_t stacks_ = 0;
};

/// A thread of control of one worker: an algorithm's loop, or what goes on beside it. Only the Scheduler runs it.
class Strand final : public TimedAction {
 public:
  Rank rank() const { return rank_; }
  const std::string& name() const { return name_; }
  const WaitsFor& waits_for() const { return waits_for_; }

  /// Wakes the strand: what sleep_until() puts on the agenda.
  void happen() override;

 private:
  friend class Scheduler;

  class Scheduler* scheduler_ = nullptr;
  Rank rank_ = 0;
  std::string name_;
  std::function<void()> body_;
  boost::context::fiber resume_point_;  // where the strand goes on, while it does not run
  boost::context::fiber* return_point_ = nullptr;
  Strand* next_ready_ = nullptr;
  WaitsFor waits_for_;
  bool is_background_ = false;
  bool has_ended_ = false;
  void* fake_stack_ = nullptr;  // AddressSanitizer's
  const void* stack_bottom_ = nullptr;
  std::size_t stack_size_ = 0;
};

}  // namespace starling
