#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "algorithms/collectives/evaluation/shared/hop.hpp"

namespace starling {

/// The hops of a ring: hop r leads from rank r to the next one.
struct RingHops {
  explicit RingHops(std::vector<Hop> all) : hops(std::move(all)) {
    std::map<Hop, std::uint32_t> known;
    for (const Hop& hop : hops) {
      const auto [kind, is_new] = known.try_emplace(hop, static_cast<std::uint32_t>(kinds.size()));
      kind_of.push_back(kind->second);
      if (is_new) kinds.push_back(hop);
    }
    while (period_ < size() && !repeats(period_)) ++period_;
    find_blocks();
  }
  std::size_t size() const { return hops.size(); }
  /// The number of hops after which the hops repeat, all around the ring: 1 if all are alike, P if they do
  /// not repeat.
  std::size_t period() const { return period_; }
  bool are_alike() const { return period_ == 1; }

  /// The number of hops after which the hops repeat with few exceptions: the period, unless a large ring
  /// has a smaller such number.
  std::size_t block() const { return block_; }
  /// The exceptions in ascending order: the hops that differ from the hop one block before.
  const std::vector<std::size_t>& changes() const { return changes_; }
  bool has_many_blocks() const { return are_alike() || size() / block_ >= many_blocks; }

  std::vector<Hop> hops;
  std::vector<Hop> kinds;  // the different ones among them
  std::vector<std::uint32_t> kind_of;

 private:
  static constexpr std::size_t many_blocks = 32;

  bool repeats(std::size_t period) const {
    return size() % period == 0 &&
           std::equal(kind_of.begin() + static_cast<std::ptrdiff_t>(period), kind_of.end(), kind_of.begin());
  }

  /// Finds a block smaller than a long period. It pays off if the blocks at changes are a small part of the
  /// ring.
  void find_blocks() {
    constexpr std::size_t longest_block = 64;
    constexpr std::size_t ranks_of_one_looked_at = 64;
    block_ = period_;
    if (has_many_blocks()) return;
    std::size_t most = size() / ranks_of_one_looked_at;
    for (std::size_t block = 1; block <= std::min(most, longest_block); ++block) {
      std::vector<std::size_t> changes = changes_between(block, most / block);
      if ((1 + changes.size()) * block > most) continue;
      most = (1 + changes.size()) * block - 1;
      block_ = block;
      changes_ = std::move(changes);
    }
  }
  /// The hops that differ from the hop one block before; only the first `most` of them.
  std::vector<std::size_t> changes_between(std::size_t block, std::size_t most) const {
    std::vector<std::size_t> changes;
    for (std::size_t hop = 0; hop < size() && changes.size() < most; ++hop)
      if (kind_of[hop] != kind_of[hop < block ? hop + size() - block : hop - block]) changes.push_back(hop);
    return changes;
  }

  std::size_t period_ = 1;
  std::size_t block_ = 1;
  std::vector<std::size_t> changes_;
};

}  // namespace starling
