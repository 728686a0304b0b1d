#pragma once

#include <boost/context/stack_context.hpp>
#include <cstddef>
#include <vector>

namespace starling {

/// A memory mapping that holds the stacks of many strands.
struct StackSlab {
  char* bottom = nullptr;
  bool is_guarded = false;         // whether its stacks get guard pages, until it is unmapped
  std::size_t guarded_stacks = 0;  // the first stacks, which have their guard pages already
};

/// The stacks that strands run on, reused when a strand has ended.
///
/// A page of a slab takes memory once it is touched, so a strand costs 4 to 8 KiB. Small runs would spend a
/// fifth of their time on mapping and touching stacks, so the process keeps 1,024 stacks that no pool uses,
/// about 8 MiB, for later pools. Up to 8,192 stacks of the process have a guard page below them; the
/// kernel's limit on the number of mappings leaves no room for more.
class StackPool {
 public:
  StackPool() = default;
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  /// A stack in the form that boost::context::fiber expects: sp is its upper end. @throws std::bad_alloc if
  /// there is no memory.
  boost::context::stack_context take();
  void give_back(const boost::context::stack_context& stack) noexcept { free_.push_back(stack); }

 private:
  void add_slab();
  boost::context::stack_context take_next();

  std::vector<StackSlab> slabs_;
  std::size_t left_ = 0;  // stacks of the last slab that this pool has not taken yet
  std::vector<boost::context::stack_context> free_;  // capacity for all: give_back() must not allocate
};

}  // namespace starling
