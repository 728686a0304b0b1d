#include "sim/strands/stack_pool.hpp"

#include <sys/mman.h>

#include <mutex>
#include <new>

#include "sim/strands/address_sanitizer.hpp"

#ifdef STARLING_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

namespace starling {

namespace {

// AddressSanitizer's red zones make stack frames several times as large.
constexpr std::size_t stack_bytes = (has_address_sanitizer ? 512 : 64) * 1024;
constexpr std::size_t page_bytes = 4096;
constexpr std::size_t stacks_per_slab = 64;
constexpr std::size_t slab_bytes = stacks_per_slab * stack_bytes;
constexpr std::size_t most_guarded = 8192 / stacks_per_slab;
constexpr std::size_t most_kept = 1024 / stacks_per_slab;

/// Offsets the tops of stacks: stacks that all began at the same offset into a page would share the same few
/// sets of the cache.
constexpr std::size_t color_bytes = 64;
constexpr std::size_t colors = 16;

/// Frames that were abandoned, or left without a return, leave AddressSanitizer's poison behind for later
/// users of the addresses.
void unpoison([[maybe_unused]] void* stacks, [[maybe_unused]] std::size_t count) {
#ifdef STARLING_ADDRESS_SANITIZER
  ASAN_UNPOISON_MEMORY_REGION(stacks, count * stack_bytes);
#endif
}

char* mapped_slab() {
  void* slab = mmap(nullptr, slab_bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (slab == MAP_FAILED) throw std::bad_alloc();
  return static_cast<char*>(slab);
}

/// The slabs of this process. Thread-safe.
class Slabs {
 public:
  Slabs() { kept_.reserve(most_kept); }

  /// @throws std::bad_alloc if there is no memory.
  StackSlab take() {
    const std::lock_guard lock(mutex_);
    if (!kept_.empty()) {
      const StackSlab slab = kept_.back();
      kept_.pop_back();
      return slab;
    }
    const StackSlab slab{.bottom = mapped_slab(), .is_guarded = guarded_ < most_guarded};
    if (slab.is_guarded) ++guarded_;
    return slab;
  }

  void give_back(const StackSlab& slab) noexcept {
    const std::lock_guard lock(mutex_);
    if (slab.is_guarded && kept_.size() < most_kept) return kept_.push_back(slab);
    munmap(slab.bottom, slab_bytes);
    if (slab.is_guarded) --guarded_;
  }

 private:
  std::mutex mutex_;
  std::vector<StackSlab> kept_;
  std::size_t guarded_ = 0;
};

Slabs& slabs_of_process() {
  static Slabs slabs;
  return slabs;
}

}  // namespace

StackPool::~StackPool() {
  for (const StackSlab& slab : slabs_) {
    unpoison(slab.bottom, slab.bottom == slabs_.back().bottom ? stacks_per_slab - left_ : stacks_per_slab);
    slabs_of_process().give_back(slab);
  }
}

boost::context::stack_context StackPool::take() {
  if (free_.empty()) return take_next();
  const boost::context::stack_context stack = free_.back();
  free_.pop_back();
  return stack;
}

void StackPool::add_slab() {
  slabs_.reserve(slabs_.size() + 1);
  free_.reserve((slabs_.size() + 1) * stacks_per_slab);
  slabs_.push_back(slabs_of_process().take());
  left_ = stacks_per_slab;
}

boost::context::stack_context StackPool::take_next() {
  if (left_ == 0) add_slab();
  StackSlab& slab = slabs_.back();
  const std::size_t i = stacks_per_slab - left_;
  char* bottom = slab.bottom + i * stack_bytes;
  unpoison(bottom, 1);  // left by threads that used the addresses before
  if (slab.is_guarded && i >= slab.guarded_stacks) {
    if (mprotect(bottom, page_bytes, PROT_NONE) != 0) throw std::bad_alloc();
    slab.guarded_stacks = i + 1;
  }
  --left_;
  boost::context::stack_context stack;
  const std::size_t unused_top = i % colors * color_bytes;
  stack.size = stack_bytes - page_bytes - unused_top;
  stack.sp = bottom + stack_bytes - unused_top;
  return stack;
}

}  // namespace starling
