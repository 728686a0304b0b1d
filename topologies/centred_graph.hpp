#pragma once

#include <vector>

#include "topologies/communication_graph.hpp"

namespace starling {

/// Every worker is joined with the one in the centre.
class CentredGraph final : public SymmetricGraph {
 public:
  CentredGraph(int workers, Rank centre);

  std::vector<Rank> out_neighbours(Rank rank, std::int64_t iteration) const override;
  int out_degree(Rank rank, std::int64_t iteration) const override;

 private:
  Rank centre_;
};

}  // namespace starling
