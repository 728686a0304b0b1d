#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "sim/routes.hpp"

namespace starling {

/// Routes by pair of vertices (from, to). Spans that were returned stay valid: routes are never moved. Each
/// vertex has a hash table of the routes that start there (open addressing), in an arena that only grows.
///
/// find and insert take amortized O(1). The routes of one sender lie in a few cache lines; a route of up to
/// two links is stored in the table itself. A route of h links takes 21 – 85 bytes, and 4h more if h > 2:
/// tables that were outgrown are not freed, as returned routes lie in them.
class RouteCache {
 public:
  /// The route of a pair; empty if the pair is unknown.
  std::span<const LinkIndex> find(int from, int to) const {
    const auto source = static_cast<std::size_t>(from);
    if (source >= tables_.size() || tables_[source].size == 0) return {};
    return place_of(tables_[source], to).links();
  }

  /// Stores the route of a pair, which must be unknown, and returns the stored copy.
  std::span<const LinkIndex> insert(int from, int to, std::span<const LinkIndex> route) {
    const auto source = static_cast<std::size_t>(from);
    if (source >= tables_.size()) tables_.resize(source + 1);
    Table& table = tables_[source];
    if (4 * (table.size + 1) > 3 * table.places()) grow(table);
    ++table.size;
    Entry& entry = place_of(table, to);
    entry.to = to;
    entry.count = static_cast<std::int32_t>(route.size());
    if (!entry.is_near()) entry.far_links = far_.allocate(route.size());
    std::copy(route.begin(), route.end(), const_cast<LinkIndex*>(entry.links().data()));
    return entry.links();
  }

 private:
  struct Entry {
    static constexpr std::int32_t most_near = 2;

    bool is_near() const { return count <= most_near; }
    std::span<const LinkIndex> links() const {
      return {is_near() ? near_links : far_links, static_cast<std::size_t>(count)};
    }

    int to;
    std::int32_t count;  // number of links; 0: the entry is free
    union {
      LinkIndex near_links[most_near];
      LinkIndex* far_links;
    };
  };

  struct Table {
    std::size_t places() const { return entries == nullptr ? 0 : std::size_t{1} << bits; }

    Entry* entries = nullptr;
    std::uint32_t size = 0;
    std::uint32_t bits = 1;
  };

  /// Allocates zero-initialized memory in large blocks.
  template <typename Item>
  class Arena {
   public:
    Item* allocate(std::size_t count) {
      if (count > left_) {
        left_ = std::max(count, std::min(largest_block, 2 * last_block_));
        last_block_ = left_;
        blocks_.push_back(std::make_unique<Item[]>(left_));
        next_ = blocks_.back().get();
      }
      left_ -= count;
      return std::exchange(next_, next_ + count);
    }

   private:
    static constexpr std::size_t largest_block = std::size_t{1} << 16;

    std::vector<std::unique_ptr<Item[]>> blocks_;
    std::size_t last_block_ = 8;
    Item* next_ = nullptr;
    std::size_t left_ = 0;
  };

  /// The entry of the pair, or the free one where it belongs. Multiplicative hashing with linear probing
  /// (Knuth, "The Art of Computer Programming", volume 3, section 6.4).
  static Entry& place_of(const Table& table, int to) {
    std::size_t index = (static_cast<std::uint32_t>(to) * 0x9E3779B9U) >> (32 - table.bits);
    while (table.entries[index].count > 0 && table.entries[index].to != to)
      index = (index + 1) & (table.places() - 1);
    return table.entries[index];
  }

  void grow(Table& table) {
    const Table smaller = table;
    ++table.bits;
    table.entries = tables_memory_.allocate(std::size_t{1} << table.bits);
    for (std::size_t i = 0; i < smaller.places(); ++i)
      if (smaller.entries[i].count > 0) place_of(table, smaller.entries[i].to) = smaller.entries[i];
  }

  std::vector<Table> tables_;  // by vertex
  Arena<Entry> tables_memory_;
  Arena<LinkIndex> far_;
};

}  // namespace starling
