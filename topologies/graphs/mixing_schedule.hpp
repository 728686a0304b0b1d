#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace starling {

/// The other end of an edge of a communication graph, and the share of the sender's model in the receiver's.
struct MixingNeighbor {
  Rank rank = 0;
  double weight = 0;

  friend bool operator==(const MixingNeighbor&, const MixingNeighbor&) = default;
};

/// Who averages with whom in which iteration: a sequence of mixing matrices W(t), where w_ij is the share of
/// rank j's model in rank i's next one.
///
/// Row-stochastic weights (Σ_j w_ij = 1) average; doubly stochastic ones keep the mean of all models;
/// column-stochastic ones (Σ_i w_ij = 1) keep their sum. A pure function of rank and iteration, shared by all
/// workers.
class MixingSchedule {
 public:
  virtual ~MixingSchedule() = default;

  virtual int ranks() const = 0;
  /// After so many iterations the matrices repeat; 1 if they never change.
  virtual std::int64_t period() const = 0;
  /// w_ii
  virtual double own_weight(Rank rank, std::int64_t iteration) const = 0;
  /// Writes over `found` all j ≠ i that send to i = `rank`, with w_ij, in the order in which i takes their
  /// models.
  virtual void find_in_neighbors(Rank rank, std::int64_t iteration,
                                 std::vector<MixingNeighbor>& found) const = 0;
  /// All j ≠ i that i = `rank` sends to, with w_ji, in the order in which i sends.
  virtual void find_out_neighbors(Rank rank, std::int64_t iteration,
                                  std::vector<MixingNeighbor>& found) const = 0;

  /// The same in vectors of their own.
  std::vector<MixingNeighbor> in_neighbors(Rank rank, std::int64_t iteration) const {
    std::vector<MixingNeighbor> found;
    find_in_neighbors(rank, iteration, found);
    return found;
  }
  std::vector<MixingNeighbor> out_neighbors(Rank rank, std::int64_t iteration) const {
    std::vector<MixingNeighbor> found;
    find_out_neighbors(rank, iteration, found);
    return found;
  }
};

}  // namespace starling
