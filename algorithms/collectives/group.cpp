#include "algorithms/collectives/group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace starling {

Group::Group(std::vector<Rank> members) : members_(std::move(members)) {
  if (members_.empty()) throw std::invalid_argument("a group needs at least one member");
  indices_.reserve(members_.size());
  for (int index = 0; index < size(); ++index) indices_.emplace_back(world_rank(index), index);
  std::ranges::sort(indices_);
  const auto twice = std::ranges::adjacent_find(indices_, {}, &std::pair<Rank, int>::first);
  if (twice != indices_.end()) {
    throw std::invalid_argument(fmt::format("rank {} is in the group twice", twice->first));
  }
}

bool Group::contains(Rank world_rank) const {
  const auto found = std::ranges::lower_bound(indices_, world_rank, {}, &std::pair<Rank, int>::first);
  return found != indices_.end() && found->first == world_rank;
}

int Group::index_of(Rank world_rank) const {
  const auto found = std::ranges::lower_bound(indices_, world_rank, {}, &std::pair<Rank, int>::first);
  if (found == indices_.end() || found->first != world_rank) {
    throw std::invalid_argument(fmt::format("rank {} is not in the group", world_rank));
  }
  return found->second;
}

}  // namespace starling
