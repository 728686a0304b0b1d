#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/types.hpp"
#include "workloads/imbalance/imbalance_options.hpp"
#include "workloads/models/workload.hpp"

namespace starling {

class ImbalanceCause;

/// How every iteration of every worker differs from the undisturbed one: a pure function of options and seed.
///
/// Causes combine: delays add up, factors multiply; one drawn or traced compute time may replace the
/// workload's. The draws of a cause depend on the seed, the worker, the iteration and how many causes of its
/// type come before it, and on nothing else: neither on other causes, nor on what was asked before, nor on
/// the algorithm.
class ImbalanceModel {
 public:
  /// `total_compute_s` is Workload::compute_total_s().
  /// @throws std::invalid_argument for an option out of its range, or a drawn or traced compute time if there
  /// are several or total_compute_s is 0.
  ImbalanceModel(const std::vector<Imbalance>& causes, int workers, std::uint64_t seed,
                 double total_compute_s);
  ~ImbalanceModel();
  ImbalanceModel(ImbalanceModel&&) noexcept;
  ImbalanceModel& operator=(ImbalanceModel&&) noexcept;

  /// Takes O(1) per cause, with three exceptions: a DrawnTime takes O(log n) for a distribution of n bins or
  /// values; MarkovStates expected O(min(iteration, sojourn)) and RandomDelay O(P + k), for k of P workers,
  /// where `iteration` does not follow those asked for last. These two keep state, so calls on one object
  /// must not run at the same time on several threads.
  Load load(Rank rank, std::int64_t iteration) const;

 private:
  int workers_;
  std::vector<std::unique_ptr<const ImbalanceCause>> causes_;
};

}  // namespace starling
