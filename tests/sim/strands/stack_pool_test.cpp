#include "sim/strands/stack_pool.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <deque>

namespace starling {
namespace {

/// Whether the byte below a stack can be read. write() to a pipe reads it in the kernel, which reports EFAULT
/// instead of a crash if it cannot.
bool can_leave(const boost::context::stack_context& stack) {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const bool is_read = write(ends[1], static_cast<const char*>(stack.sp) - stack.size - 1, 1) == 1;
  CHECK((is_read || errno == EFAULT));
  close(ends[0]);
  close(ends[1]);
  return is_read;
}

char& first_byte(const boost::context::stack_context& stack) { return *(static_cast<char*>(stack.sp) - 1); }

void leave_a_mark() {
  StackPool pool;
  first_byte(pool.take()) = 'x';
}

TEST_CASE("a pool of stacks reuses those of an earlier pool, and these are still guarded") {
  leave_a_mark();
  StackPool pool;
  const boost::context::stack_context stack = pool.take();
  CHECK(first_byte(stack) == 'x');
  CHECK_FALSE(can_leave(stack));
  CHECK_FALSE(can_leave(pool.take()));
}

TEST_CASE("any number of pools have stacks at once: guard pages stay within what the kernel maps") {
  constexpr int pools = 5;
  constexpr int stacks = 8192;
  std::deque<StackPool> all;
  for (int i = 0; i < pools; ++i) {
    StackPool& pool = all.emplace_back();
    for (int taken = 0; taken < stacks; ++taken) REQUIRE(pool.take().sp != nullptr);
  }
  all.clear();
  StackPool later;
  CHECK_FALSE(can_leave(later.take()));
}

}  // namespace
}  // namespace starling
