#pragma once

#include "topologies/graphs/mixing_matrix.hpp"
#include "topologies/graphs/mixing_schedule.hpp"

namespace starling {

/// The mixing matrix of a communication graph as a schedule of sends and receives: a worker sends to its
/// neighbors in the order of (destination − rank) mod P, and takes in their models in the order of (rank −
/// source) mod P. So no worker is everyone's first destination, and on graphs that look the same from every
/// worker, models arrive in the order in which they are taken.
class GraphMixing final : public MixingSchedule {
 public:
  /// @throws std::invalid_argument if the graph has more than most_weights weights.
  explicit GraphMixing(MixingMatrix matrix) : matrix_(std::move(matrix)) {
    check_weight_count(matrix_.graph());
  }

  int ranks() const override { return matrix_.graph().workers(); }
  std::int64_t period() const override { return matrix_.graph().period(); }
  double own_weight(Rank rank, std::int64_t iteration) const override {
    return matrix_.own_weight(rank, iteration);
  }
  void find_in_neighbors(Rank rank, std::int64_t iteration,
                         std::vector<MixingNeighbor>& found) const override;
  void find_out_neighbors(Rank rank, std::int64_t iteration,
                          std::vector<MixingNeighbor>& found) const override;

 private:
  MixingMatrix matrix_;
};

}  // namespace starling
