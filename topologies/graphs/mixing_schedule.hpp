#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace starling {

/// The worker at the other end of an edge, and the weight of the sender's model in the receiver's next one.
struct MixingNeighbor {
  Rank rank = 0;
  double weight = 0;

  friend bool operator==(const MixingNeighbor&, const MixingNeighbor&) = default;
};

/// Who averages with whom in which iteration: a sequence of mixing matrices W(t), where w_ij is the weight of
/// rank j's model in rank i's next one.
///
/// With row-stochastic weights (Σ_j w_ij = 1) new models are weighted means; column-stochastic weights (Σ_i
/// w_ij = 1) preserve the sum of all models; doubly stochastic ones also their mean. A pure function of rank
/// and iteration, shared by all workers.
class MixingSchedule {
 public:
  virtual ~MixingSchedule() = default;

  virtual int ranks() const = 0;
  /// The number of iterations after which the matrices repeat; 1 if they never change.
  virtual std::int64_t period() const = 0;
  /// w_ii
  virtual double own_weight(Rank rank, std::int64_t iteration) const = 0;
  /// Replaces the contents of `found` by all j ≠ i that send to i = `rank`, with w_ij, in the order in which
  /// i adds their models.
  virtual void find_in_neighbors(Rank rank, std::int64_t iteration,
                                 std::vector<MixingNeighbor>& found) const = 0;
  /// The same for all j ≠ i that i = `rank` sends to, with w_ji, in the order in which i sends.
  virtual void find_out_neighbors(Rank rank, std::int64_t iteration,
                                  std::vector<MixingNeighbor>& found) const = 0;

  /// The same, returned as vectors.
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
