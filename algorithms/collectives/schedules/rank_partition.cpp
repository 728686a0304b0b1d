#include "algorithms/collectives/schedules/rank_partition.hpp"

#include "base/errors.hpp"

namespace starling {
namespace {

constexpr int in_no_group = -1;

}  // namespace

RankPartition::RankPartition(int ranks)
    : group_of_(static_cast<std::size_t>(ranks), in_no_group), index_of_(static_cast<std::size_t>(ranks)) {}

void RankPartition::add_group(std::span<const Rank> members) {
  const int group = groups();
  for (const Rank rank : members) {
    STARLING_INVARIANT(rank >= 0 && rank < ranks() && !is_in_a_group(rank));
    group_of_[static_cast<std::size_t>(rank)] = group;
    index_of_[static_cast<std::size_t>(rank)] = static_cast<int>(members_.size()) - first_.back();
    members_.push_back(rank);
  }
  first_.push_back(static_cast<int>(members_.size()));
}

std::span<const Rank> RankPartition::members(int group) const {
  const auto begin = static_cast<std::size_t>(first_[static_cast<std::size_t>(group)]);
  const auto end = static_cast<std::size_t>(first_[static_cast<std::size_t>(group) + 1]);
  return std::span(members_).subspan(begin, end - begin);
}

}  // namespace starling
