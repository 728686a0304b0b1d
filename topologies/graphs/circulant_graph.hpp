#pragma once

#include <vector>

#include "topologies/graphs/communication_graph.hpp"

namespace starling {

/// In each iteration, worker i sends to the workers (i + d) mod P for a few distances d, the same for all
/// workers: ring, complete, exponential, symmetric exponential, one-peer exponential.
class CirculantGraph final : public CommunicationGraph {
 public:
  /// `distances`, for each iteration of a period, are between 1 and workers − 1, in any order; duplicates
  /// count once.
  CirculantGraph(int workers, std::vector<std::vector<int>> distances);

  void find_out_neighbors(Rank rank, std::int64_t iteration, std::vector<Rank>& found) const override;
  void find_in_neighbors(Rank rank, std::int64_t iteration, std::vector<Rank>& found) const override;
  int out_degree(Rank rank, std::int64_t iteration) const override;
  int in_degree(Rank rank, std::int64_t iteration) const override;

 private:
  using Distances = std::vector<std::vector<int>>;
  CirculantGraph(int workers, Distances forward, Distances backward);

  /// Sorted, for each iteration of a period. Backward distances, to those that send to a worker, are counted
  /// forwards as well: workers − distance.
  Distances forward_;
  Distances backward_;
};

}  // namespace starling
