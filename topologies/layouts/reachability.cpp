#include "topologies/layouts/reachability.hpp"

#include <boost/pending/disjoint_sets.hpp>
#include <cstddef>

namespace starling {

std::vector<bool> reached_from(int first, int vertices, std::span<const Cable> cables) {
  boost::disjoint_sets_with_storage<> joined(static_cast<std::size_t>(vertices));
  for (const Cable& cable : cables)
    joined.union_set(static_cast<std::size_t>(cable.from), static_cast<std::size_t>(cable.to));
  std::vector<bool> is_reached(static_cast<std::size_t>(vertices));
  for (std::size_t vertex = 0; vertex < is_reached.size(); ++vertex)
    is_reached[vertex] = joined.find_set(vertex) == joined.find_set(static_cast<std::size_t>(first));
  return is_reached;
}

}  // namespace starling
