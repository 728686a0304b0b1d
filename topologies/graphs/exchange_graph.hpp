#pragma once

#include <vector>

#include "topologies/graphs/communication_graph.hpp"

namespace starling {

/// In each iteration, worker i is joined to i XOR mask for a few masks: hypercube, one-peer exponential.
class ExchangeGraph final : public SymmetricGraph {
 public:
  /// `masks`, for each iteration of a period, are distinct numbers between 1 and workers − 1. `workers` must
  /// be a power of two.
  ExchangeGraph(int workers, std::vector<std::vector<int>> masks);

  void find_out_neighbors(Rank rank, std::int64_t iteration, std::vector<Rank>& found) const override;
  int out_degree(Rank rank, std::int64_t iteration) const override;

 private:
  std::vector<std::vector<int>> masks_;
};

}  // namespace starling
