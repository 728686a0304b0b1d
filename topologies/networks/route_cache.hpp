#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/mix.hpp"
#include "sim/routes.hpp"

namespace starling {

/// Routes by (from, to), kept for good at fixed addresses: an open-addressing table into an arena that only
/// grows.
///
/// find and insert take O(1) amortised; a route of h links takes 4(h + 1) bytes and 16 – 32 bytes of table.
class RouteCache {
 public:
  RouteCache() : slots_(smallest_table) {}

  /// Empty where the pair is unknown.
  std::span<const LinkIndex> find(int from, int to) const {
    const Slot& slot = slots_[slot_of(pair_of(from, to))];
    if (slot.record == nullptr) return {};
    return {slot.record + 1, static_cast<std::size_t>(*slot.record)};
  }

  /// The pair must be unknown.
  std::span<const LinkIndex> insert(int from, int to, std::span<const LinkIndex> route) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    LinkIndex* record = allocate(route.size() + 1);
    record[0] = static_cast<LinkIndex>(route.size());
    std::copy(route.begin(), route.end(), record + 1);
    const std::uint64_t key = pair_of(from, to);
    slots_[slot_of(key)] = {key, record};
    ++size_;
    return {record + 1, route.size()};
  }

 private:
  /// A record is the number of links, then the links.
  struct Slot {
    std::uint64_t key = 0;
    const LinkIndex* record = nullptr;
  };

  static constexpr std::size_t smallest_table = 16;
  static constexpr std::size_t largest_block = std::size_t{1} << 16;

  /// Where the key is, or else where it belongs (linear probing).
  std::size_t slot_of(std::uint64_t key) const {
    std::size_t index = mix(key) & (slots_.size() - 1);
    while (slots_[index].record != nullptr && slots_[index].key != key)
      index = (index + 1) & (slots_.size() - 1);
    return index;
  }

  void grow() {
    std::vector<Slot> smaller(2 * slots_.size());
    smaller.swap(slots_);
    for (const Slot& slot : smaller) {
      if (slot.record != nullptr) slots_[slot_of(slot.key)] = slot;
    }
  }

  LinkIndex* allocate(std::size_t count) {
    if (count > block_left_) {
      block_left_ = std::max(count, std::min(largest_block, 4 * slots_.size()));
      blocks_.push_back(std::make_unique_for_overwrite<LinkIndex[]>(block_left_));
      block_next_ = blocks_.back().get();
    }
    LinkIndex* record = block_next_;
    block_next_ += count;
    block_left_ -= count;
    return record;
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
  std::vector<std::unique_ptr<LinkIndex[]>> blocks_;
  LinkIndex* block_next_ = nullptr;
  std::size_t block_left_ = 0;
};

}  // namespace starling
