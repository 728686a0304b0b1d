#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "sim/types.hpp"

namespace starling {

/// A message without a receive, or a receive without a message.
struct MatchEntry {
  Rank source = 0;
  Tag tag = 0;
  bool is_message = false;
  MatchEntry* next = nullptr;
};

/// Brings the messages to one worker and its receives together: by source and tag, in the order they were
/// sent and asked for.
///
/// Messages with the same source and tag cannot overtake each other, even if a later one arrives first. A
/// hash table of chains that grows with the number of unmatched entries: O(1) expected, and a few bytes for a
/// worker with few of them.
class MatchTable {
 public:
  /// Takes out and returns the oldest entry of the other kind with the same source and tag; if there is none,
  /// keeps `entry` and returns null.
  MatchEntry* match_or_keep(MatchEntry& entry) {
    Chain& chain = chain_of(entry);
    MatchEntry* before = nullptr;
    for (MatchEntry* other = chain.first; other; before = other, other = other->next) {
      if (other->source != entry.source || other->tag != entry.tag) continue;
      if (other->is_message == entry.is_message) break;  // so are all others with this source and tag
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
  static constexpr std::size_t entries_per_chain = 4;

  Chain& chain_of(const MatchEntry& entry) {
    if (chains_.empty()) return only_chain_;
    const auto hash = static_cast<std::size_t>(entry.source) * 31 + static_cast<std::size_t>(entry.tag);
    return chains_[hash & (chains_.size() - 1)];
  }

  static void append(Chain& chain, MatchEntry& entry) {
    entry.next = nullptr;
    (chain.last ? chain.last->next : chain.first) = &entry;
    chain.last = &entry;
  }

  void keep(Chain& chain, MatchEntry& entry) {
    append(chain, entry);
    if (++size_ > entries_per_chain * (chains_.empty() ? 1 : chains_.size())) grow();
  }

  void grow() {
    std::vector<Chain> old(chains_.empty() ? std::vector<Chain>{only_chain_} : std::move(chains_));
    chains_.assign(old.size() * 4, {});
    for (const Chain& chain : old) {
      for (MatchEntry* entry = chain.first; entry;) {
        MatchEntry* next = entry->next;
        append(chain_of(*entry), *entry);
        entry = next;
      }
    }
  }

  Chain only_chain_;           // until there are more than a few entries
  std::vector<Chain> chains_;  // a power of two of them
  std::size_t size_ = 0;
};

}  // namespace starling
