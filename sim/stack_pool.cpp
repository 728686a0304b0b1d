#include "sim/stack_pool.hpp"

#include <sys/mman.h>

#include <new>

#include "sim/address_sanitizer.hpp"

#ifdef STARLING_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

namespace starling {

namespace {

// Red zones make frames several times as large.
constexpr std::size_t stack_bytes = (has_address_sanitizer ? 512 : 64) * 1024;
constexpr std::size_t page_bytes = 4096;
constexpr std::size_t stacks_per_slab = 64;
constexpr std::size_t slab_bytes = stacks_per_slab * stack_bytes;
constexpr std::size_t guarded_slabs = 8192 / stacks_per_slab;

/// Stacks that all begin at the same offset into a page would share the same few sets of the cache.
constexpr std::size_t color_bytes = 64;
constexpr std::size_t colors = 16;

/// Frames that never ended, or ended without a return, leave poison for whatever lives at their address next.
void unpoison([[maybe_unused]] void* stacks, [[maybe_unused]] std::size_t count) {
#ifdef STARLING_ADDRESS_SANITIZER
  ASAN_UNPOISON_MEMORY_REGION(stacks, count * stack_bytes);
#endif
}

}  // namespace

StackPool::~StackPool() {
  for (void* slab : slabs_) {
    unpoison(slab, slab == slabs_.back() ? stacks_per_slab - untouched_ : stacks_per_slab);
    munmap(slab, slab_bytes);
  }
}

boost::context::stack_context StackPool::take() {
  if (free_.empty()) return take_untouched();
  const boost::context::stack_context stack = free_.back();
  free_.pop_back();
  return stack;
}

void StackPool::add_slab() {
  slabs_.reserve(slabs_.size() + 1);
  free_.reserve((slabs_.size() + 1) * stacks_per_slab);
  void* slab = mmap(nullptr, slab_bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (slab == MAP_FAILED) throw std::bad_alloc();
  slabs_.push_back(slab);
  untouched_ = stacks_per_slab;
}

boost::context::stack_context StackPool::take_untouched() {
  if (untouched_ == 0) add_slab();
  const std::size_t i = stacks_per_slab - untouched_;
  char* bottom = static_cast<char*>(slabs_.back()) + i * stack_bytes;
  unpoison(bottom, 1);  // of threads that were here before
  const bool is_guarded = slabs_.size() <= guarded_slabs;
  if (is_guarded && mprotect(bottom, page_bytes, PROT_NONE) != 0) throw std::bad_alloc();
  --untouched_;
  boost::context::stack_context stack;
  const std::size_t unused_top = i % colors * color_bytes;
  stack.size = stack_bytes - page_bytes - unused_top;
  stack.sp = bottom + stack_bytes - unused_top;
  return stack;
}

}  // namespace starling
