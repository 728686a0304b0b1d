#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"
#include "topologies/graphs/communication_graph_options.hpp"

namespace starling {

/// All ranks 0 … P−1 in disjoint groups.
class RankPartition {
 public:
  explicit RankPartition(int ranks);

  /// @throws InvariantError if one of them is in a group already, or is no rank.
  void add_group(std::span<const Rank> members);

  int ranks() const { return static_cast<int>(group_of_.size()); }
  int groups() const { return static_cast<int>(first_.size()) - 1; }
  bool is_in_a_group(Rank rank) const { return group_of(rank) >= 0; }
  int group_of(Rank rank) const { return group_of_[static_cast<std::size_t>(rank)]; }
  /// The place of a rank among its group's members().
  int index_of(Rank rank) const { return index_of_[static_cast<std::size_t>(rank)]; }
  std::span<const Rank> members(int group) const;
  std::span<const Rank> members_with(Rank rank) const { return members(group_of(rank)); }

 private:
  std::vector<Rank> members_;  // group by group
  std::vector<int> first_ = {0};
  std::vector<int> group_of_;
  std::vector<int> index_of_;
};

/// Who averages together in iterations 0, 1, …; afterwards it begins again.
using AveragingGroups = std::vector<RankPartition>;

/// The graphs whose iterations fall into groups.
std::vector<std::string> averaging_graph_names();

/// The communication graph of that name: complete, one_peer_ring, one_peer_exponential (by exchange) or
/// alternating_exponential_ring. @throws std::invalid_argument for another name.
CommunicationGraphKind averaging_graph(std::string_view name);

/// The groups of that graph, as topologies/communication_graph_options.hpp describes it. O(P · period)
/// memory.
/// @throws std::invalid_argument for another name, or numbers of workers that do not fit.
AveragingGroups make_averaging_groups(std::string_view graph, int workers, int workers_per_host);

}  // namespace starling
