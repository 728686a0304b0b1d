#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/collectives/schedules/rank_partition.hpp"
#include "algorithms/collectives/schedules/schedule.hpp"

namespace starling {

/// One collective in every group of a partition, side by side, as one schedule of all ranks. Every rank
/// must be in a group.
class GroupedSchedule final : public Schedule {
 public:
  /// `of_group` holds, for every group, a schedule of as many ranks as the group has members; all have the
  /// same count(). The partition and the schedules must outlive this object.
  GroupedSchedule(const RankPartition& partition, std::vector<const Schedule*> of_group)
      : Schedule(partition.ranks(), of_group.front()->count()),
        partition_(partition),
        of_group_(std::move(of_group)) {}

  std::string name() const override { return "grouped " + of_group_.front()->name(); }
  /// True only if all ranks form one group, whose schedule is a ring.
  bool is_ring() const override { return of_group_.size() == 1 && of_group_.front()->is_ring(); }
  std::span<const Rank> group_of(Rank rank) const override { return partition_.members_with(rank); }
  int rounds(Rank rank) const override { return schedule(rank).rounds(partition_.index_of(rank)); }
  Round round(Rank rank, int index) const override;

 private:
  const Schedule& schedule(Rank rank) const {
    return *of_group_[static_cast<std::size_t>(partition_.group_of(rank))];
  }

  const RankPartition& partition_;
  std::vector<const Schedule*> of_group_;
};

}  // namespace starling
