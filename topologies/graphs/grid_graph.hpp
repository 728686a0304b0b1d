#pragma once

#include <vector>

#include "topologies/graphs/communication_graph.hpp"

namespace starling {

/// Workers on a grid, row-major (the last dimension varies fastest), each joined to its neighbors: mesh and
/// torus. If `is_closed`, dimensions wrap around; one of size 2 then gives one neighbor, one of size 1 none.
class GridGraph final : public SymmetricGraph {
 public:
  GridGraph(std::vector<int> dimensions, bool is_closed);

  std::vector<int> dimensions() const override { return dimensions_; }
  void find_out_neighbors(Rank rank, std::int64_t iteration, std::vector<Rank>& found) const override;

 private:
  std::vector<int> dimensions_;
  bool is_closed_;
};

}  // namespace starling
