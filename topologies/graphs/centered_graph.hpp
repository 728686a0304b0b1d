#pragma once

#include <vector>

#include "topologies/graphs/communication_graph.hpp"

namespace starling {

/// A star: every worker is joined to the one in the center.
class CenteredGraph final : public SymmetricGraph {
 public:
  CenteredGraph(int workers, Rank center);

  void find_out_neighbors(Rank rank, std::int64_t iteration, std::vector<Rank>& found) const override;
  int out_degree(Rank rank, std::int64_t iteration) const override;

 private:
  Rank center_;
};

}  // namespace starling
