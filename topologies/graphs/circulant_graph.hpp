#pragma once

#include <vector>

#include "topologies/graphs/communication_graph.hpp"

namespace starling {

/// In each iteration every worker sends to those a few fixed distances further on: ring, complete,
/// exponential, symmetric exponential, one-peer exponential.
class CirculantGraph final : public CommunicationGraph {
 public:
  /// For each iteration of a period the distances, between 1 and workers − 1, in any order, repeated ones
  /// counting once.
  CirculantGraph(int workers, std::vector<std::vector<int>> distances);

  void find_out_neighbors(Rank rank, std::int64_t iteration, std::vector<Rank>& found) const override;
  void find_in_neighbors(Rank rank, std::int64_t iteration, std::vector<Rank>& found) const override;
  int out_degree(Rank rank, std::int64_t iteration) const override;
  int in_degree(Rank rank, std::int64_t iteration) const override;

 private:
  using Distances = std::vector<std::vector<int>>;
  CirculantGraph(int workers, Distances forward, Distances backward);

  /// Sorted, for each iteration of a period; backward distances are counted onwards too: workers − distance.
  Distances forward_;
  Distances backward_;
};

}  // namespace starling
