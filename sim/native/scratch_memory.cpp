#include "sim/native/scratch_memory.hpp"

#include <algorithm>
#include <bit>

#include "base/errors.hpp"

namespace starling {

ScratchMemory::Block ScratchMemory::take(std::size_t bytes) {
  constexpr std::size_t smallest = 64;
  const std::size_t capacity = std::bit_ceil(std::max(bytes, smallest));
  const auto size = static_cast<std::size_t>(std::countr_zero(capacity));
  STARLING_INVARIANT(size < sizes);
  std::vector<std::byte*>& unused = unused_[size];
  if (unused.empty()) {
    memory_.push_back(std::make_unique<std::byte[]>(capacity));  // zeroed, so that its pages are mapped
    return {memory_.back().get(), capacity};
  }
  std::byte* const data = unused.back();
  unused.pop_back();
  return {data, capacity};
}

void ScratchMemory::give_back(const Block& block) {
  if (block.data == nullptr) return;
  unused_[static_cast<std::size_t>(std::countr_zero(block.capacity))].push_back(block.data);
}

}  // namespace starling
