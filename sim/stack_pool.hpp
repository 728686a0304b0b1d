#pragma once

#include <boost/context/stack_context.hpp>
#include <cstddef>
#include <vector>

namespace starling {

/// The stacks that strands run on, reused when a strand has ended.
///
/// One mapping, a slab, holds many stacks; a page takes memory once it is touched, so a strand costs 4 to
/// 8 KiB.
/// Below each of the first 8,192 stacks lies a page that cannot be touched (the kernel's limit on mappings
/// leaves no room for more).
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
  boost::context::stack_context take_untouched();

  std::vector<void*> slabs_;
  std::size_t untouched_ = 0;                        // stacks of the last slab that were never taken
  std::vector<boost::context::stack_context> free_;  // with room for all, so that giving back needs no memory
};

}  // namespace starling
