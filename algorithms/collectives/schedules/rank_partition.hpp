#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"

namespace starling {

/// Disjoint groups of the ranks 0 … P−1. Initially no rank is in a group.
class RankPartition {
 public:
  explicit RankPartition(int ranks);

  /// Adds a group with these members, in this order.
  /// @throws InvariantError if a member is out of range or already in a group.
  void add_group(std::span<const Rank> members);

  int ranks() const { return static_cast<int>(group_of_.size()); }
  int groups() const { return static_cast<int>(first_.size()) - 1; }
  bool is_in_a_group(Rank rank) const { return group_of(rank) >= 0; }
  int group_of(Rank rank) const { return group_of_[static_cast<std::size_t>(rank)]; }
  /// The position of a rank in its group's members().
  int index_of(Rank rank) const { return index_of_[static_cast<std::size_t>(rank)]; }
  std::span<const Rank> members(int group) const;
  std::span<const Rank> members_with(Rank rank) const { return members(group_of(rank)); }

 private:
  std::vector<Rank> members_;     // group by group
  std::vector<int> first_ = {0};  // index in members_ at which each group begins, and the end of the last
  std::vector<int> group_of_;
  std::vector<int> index_of_;
};

}  // namespace starling
