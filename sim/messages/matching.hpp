#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/types.hpp"

namespace starling {

/// An unmatched message or an unmatched receive.
struct MatchEntry {
  MatchEntry* next = nullptr;
  Rank peer = 0;  // the rank that sent the message, or from which it is expected
  Tag tag = 0;
  bool is_message = false;
};

/// A hash table with chaining that grows with the number of unmatched entries; O(1) expected.
class MatchChains {
 public:
  /// Removes and returns the oldest entry of the other kind with the same source and tag. If there is none,
  /// keeps `entry` and returns null.
  MatchEntry* match_or_keep(MatchEntry& entry) {
    Chain& chain = chain_of(entry);
    MatchEntry* before = nullptr;
    for (MatchEntry* other = chain.first; other; before = other, other = other->next) {
      if (other->peer != entry.peer || other->tag != entry.tag) continue;
      if (other->is_message == entry.is_message) break;  // all others with this source and tag are, too
      (before ? before->next : chain.first) = other->next;
      if (chain.last == other) chain.last = before;
      --size_;
      return other;
    }
    keep(chain, entry);
    return nullptr;
  }

  std::size_t size() const { return size_; }

 private:
  struct Chain {
    MatchEntry* first = nullptr;
    MatchEntry* last = nullptr;
  };
  static constexpr std::uint32_t entries_per_chain = 1;

  Chain& chain_of(const MatchEntry& entry) {
    if (chain_count_ == 1) return only_chain_;
    const auto hash = static_cast<std::uint32_t>(entry.peer) * 31 + static_cast<std::uint32_t>(entry.tag);
    return chains_[hash & (chain_count_ - 1)];
  }

  static void append(Chain& chain, MatchEntry& entry) {
    entry.next = nullptr;
    (chain.last ? chain.last->next : chain.first) = &entry;
    chain.last = &entry;
  }

  void keep(Chain& chain, MatchEntry& entry) {
    append(chain, entry);
    if (++size_ > entries_per_chain * chain_count_) grow();
  }

  void grow() {
    const std::unique_ptr<Chain[]> old = std::move(chains_);
    const std::uint32_t old_count = std::exchange(chain_count_, chain_count_ * 4);
    chains_ = std::make_unique<Chain[]>(chain_count_);
    for (std::uint32_t i = 0; i < old_count; ++i) {
      for (MatchEntry* entry = old ? old[i].first : only_chain_.first; entry;) {
        MatchEntry* next = entry->next;
        append(chain_of(*entry), *entry);
        entry = next;
      }
    }
  }

  Chain only_chain_;                 // used until the first grow(),
  std::unique_ptr<Chain[]> chains_;  // which replaces it by these
  std::uint32_t chain_count_ = 1;    // a power of two
  std::uint32_t size_ = 0;
};

/// Matches the messages to one worker with its receives: by source and tag, in the order of sends and of
/// receives.
///
/// Messages with the same source and tag cannot overtake each other, even if a later one arrives first. The
/// few entries that most workers have are found in one cache line, without dereferencing any entry.
class MatchTable {
 public:
  /// Removes and returns the oldest entry of the other kind with the same source and tag. If there is none,
  /// keeps `entry` and returns null.
  MatchEntry* match_or_keep(MatchEntry& entry) {
    std::size_t used = 0;
    for (; used < slots_.size() && slots_[used].entry; ++used) {
      const Slot& slot = slots_[used];
      if (slot.peer == entry.peer && slot.tag == entry.tag && slot.entry->is_message != entry.is_message)
        return take(used);
    }
    if (used == slots_.size() || further_.size() > 0) return further_.match_or_keep(entry);
    slots_[used] = {&entry, entry.peer, entry.tag};
    return nullptr;
  }

 private:
  struct Slot {
    MatchEntry* entry = nullptr;
    Rank peer = 0;
    Tag tag = 0;
  };

  MatchEntry* take(std::size_t slot) {
    MatchEntry* const entry = slots_[slot].entry;
    std::shift_left(slots_.begin() + static_cast<std::ptrdiff_t>(slot), slots_.end(), 1);
    slots_.back() = {};
    return entry;
  }

  std::array<Slot, 4> slots_;  // the oldest first
  MatchChains further_;        // entries beyond the slots; while it holds any, all new ones
};

}  // namespace starling
