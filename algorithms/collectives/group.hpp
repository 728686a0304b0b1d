#pragma once

#include <utility>
#include <vector>

#include "base/types.hpp"

namespace starling {

/// Some ranks of a world, numbered 0 … size−1 in a given order: what a schedule takes for its ranks.
class Group {
 public:
  /// @throws std::invalid_argument if a rank is listed twice, or none is.
  explicit Group(std::vector<Rank> members);

  int size() const { return static_cast<int>(members_.size()); }
  Rank world_rank(int index) const { return members_[static_cast<std::size_t>(index)]; }
  const std::vector<Rank>& members() const { return members_; }

  bool contains(Rank world_rank) const;
  /// The number of a member. O(log size). @throws std::invalid_argument if it is none.
  int index_of(Rank world_rank) const;

 private:
  std::vector<Rank> members_;
  std::vector<std::pair<Rank, int>> indices_;  // by rank
};

}  // namespace starling
