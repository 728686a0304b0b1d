#pragma once

#include <boost/context/stack_context.hpp>
#include <cstddef>
#include <vector>

namespace starling {

/// A mapping that holds the stacks of many strands.
struct StackSlab {
  char* bottom = nullptr;
  bool is_guarded = false;         // as long as it is mapped
  std::size_t guarded_stacks = 0;  // the first ones, below which lies a page that cannot be touched
};

/// The stacks that strands run on, reused when a strand has ended.
///
/// A page of a slab takes memory once it is touched, so a strand costs 4 to 8 KiB. Small runs would spend a
/// fifth of their time on mapping and touching stacks: the process keeps 1,024 that pools no longer need, of
/// about 8 MiB, for pools that come.
/// Below each of 8,192 stacks of the process lies a page that cannot be touched (the kernel's limit on
/// mappings leaves no room for more).
class StackPool {
 public:
  StackPool() = default;
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  /// A stack as boost::context::fiber wants it: sp is its upper end.
  /// @throws std::bad_alloc if there is no memory.
  boost::context::stack_context take();
  void give_back(const boost::context::stack_context& stack) noexcept { free_.push_back(stack); }

 private:
  void add_slab();
  boost::context::stack_context take_next();

  std::vector<StackSlab> slabs_;
  std::size_t left_ = 0;                             // stacks of the last slab that were never taken here
  std::vector<boost::context::stack_context> free_;  // with room for all, so that giving back needs no memory
};

}  // namespace starling
