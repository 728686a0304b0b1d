#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/types.hpp"
#include "workloads/imbalance/imbalance_options.hpp"
#include "workloads/models/workload.hpp"

namespace starling {

class ImbalanceCause;

/// The load of every worker in every iteration, that is, how the iteration differs from an undisturbed one: a
/// pure function of options and seed.
///
/// Causes combine: delays add up, factors multiply, and one drawn or traced compute time may replace the
/// workload's. The random numbers of a cause depend only on the seed, the worker, the iteration and the
/// number of causes of the same type before it. They depend neither on other causes, nor on the order of
/// calls, nor on the algorithm.
class ImbalanceModel {
 public:
  /// `total_compute_s` is Workload::compute_total_s().
  /// @throws std::invalid_argument for an option out of its range, for several causes that draw or trace the
  /// compute time, or for one if total_compute_s is 0.
  ImbalanceModel(const std::vector<Imbalance>& causes, int workers, std::uint64_t seed,
                 double total_compute_s);
  ~ImbalanceModel();
  ImbalanceModel(ImbalanceModel&&) noexcept;
  ImbalanceModel& operator=(ImbalanceModel&&) noexcept;

  /// Takes O(1) per cause, with three exceptions: DrawnTime takes O(log n) for a distribution of n bins or
  /// values; MarkovStates expected O(min(iteration, sojourn)), and RandomDelay O(P + k) for k of P workers,
  /// when the iteration does not follow recently requested ones. These two cache state, so one object must
  /// not be used by several threads at the same time.
  Load load(Rank rank, std::int64_t iteration) const;

 private:
  int workers_;
  std::vector<std::unique_ptr<const ImbalanceCause>> causes_;
};

}  // namespace starling
