#include "topologies/layouts/reachability.hpp"

#include <cstddef>

namespace starling {

std::vector<bool> reached_from(int first, int vertices, std::span<const Cable> cables) {
  std::vector<std::vector<int>> neighbors(static_cast<std::size_t>(vertices));
  for (const Cable& cable : cables) {
    neighbors[static_cast<std::size_t>(cable.from)].push_back(cable.to);
    neighbors[static_cast<std::size_t>(cable.to)].push_back(cable.from);
  }
  std::vector<bool> is_reached(neighbors.size(), false);
  is_reached[static_cast<std::size_t>(first)] = true;
  std::vector<int> reached = {first};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const int neighbor : neighbors[static_cast<std::size_t>(reached[i])]) {
      if (is_reached[static_cast<std::size_t>(neighbor)]) continue;
      is_reached[static_cast<std::size_t>(neighbor)] = true;
      reached.push_back(neighbor);
    }
  }
  return is_reached;
}

}  // namespace starling
