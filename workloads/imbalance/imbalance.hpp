#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "base/types.hpp"
#include "workloads/imbalance/distribution.hpp"
#include "workloads/imbalance/unit_mean_law.hpp"
#include "workloads/models/workload.hpp"

namespace starling {

/// Multiplies forward and backward times by a random factor of mean 1 and the given coefficient of variation,
/// drawn for every worker and iteration. The normal law is truncated at 0, with its parameters chosen so that
/// mean and coefficient of variation hold after truncation.
struct RandomFactor {
  Law law = Law::normal;
  double coefficient_of_variation =
      0;  // 0 … 10; of a normal law at most 0.95, of a gamma law 0 or at least 0.001
};

/// The slowest draws come together: this share of all draws falls into this share of the iterations, the same
/// ones for all workers. Any one draw is distributed as without it. 0 ≤ probability ≤ iterations ≤ 1.
struct ClusteredTail {
  double probability = 0;  // 0: all draws are independent
  double iterations = 1;
};

/// Draws the whole compute time, forward and backward together, in place of the workload's.
struct DrawnComputeTime {
  Distribution distribution;  // in seconds
  ClusteredTail tail = {};
};

/// Delays this many distinct workers in every iteration, all sets of them equally likely.
struct RandomDelay {
  int workers = 0;
  double delay_s = 0;
};

/// Delays each worker with this probability in every iteration, independently of the others.
struct IndependentDelay {
  double probability = 0;
  double delay_s = 0;
};

/// Delays rank i by i · step_s; with `rotate` by ((i − t) mod P) · step_s in iteration t, so that the delays
/// move to the next rank in every iteration.
struct LinearSkew {
  double step_s = 0;
  bool rotate = false;
};

/// Multiplies the forward and backward times of some workers for the whole run.
struct SlowWorkers {
  std::vector<Rank> workers;
  double factor = 1;  // 2 takes twice as long
};

/// Each worker is fast or slow by turns: forward and backward times are multiplied by slow_factor while it is
/// slow. Sojourns are geometric with the given means, in iterations (at least 1). Starts in the stationary
/// state, so a worker is slow with probability mean_slow / (mean_slow + mean_fast) in every iteration.
struct MarkovStates {
  double slow_factor = 1;
  double mean_slow_iterations = 1;
  double mean_fast_iterations = 1;
};

struct TracePoint {
  Rank worker = 0;
  std::int64_t iteration = 0;
  double compute_s = 0;
};

/// Whole compute times, forward and backward together, as recorded, in place of the workload's. Every worker
/// needs points for iterations 0 … n−1, in any order, with an n of its own; after n iterations its times
/// repeat. Points of workers that the job does not have are not used.
struct ComputeTrace {
  std::vector<TracePoint> points;
};

/// A worker stops once, before the forward pass of an iteration, for a while, and goes on.
struct Pause {
  Rank worker = 0;
  std::int64_t iteration = 0;
  double duration_s = 0;
};

/// A worker dies before the forward pass of an iteration and does not come back.
/// ImbalanceModel::failure_iteration() reports it; load() does not change, because what a dead worker means
/// for the others is the training algorithm's answer. Whoever runs an algorithm that has no answer must
/// refuse a job with failures.
struct Failure {
  Rank worker = 0;
  std::int64_t iteration = 0;
};

/// Draws a delay before the forward pass, for every worker and iteration.
struct DrawnDelay {
  Distribution distribution;  // in seconds
  ClusteredTail tail = {};
};

/// One cause of load imbalance. Random draws depend on the place of a type in this list: append only.
using Imbalance = std::variant<RandomFactor, DrawnComputeTime, RandomDelay, IndependentDelay, LinearSkew,
                               SlowWorkers, MarkovStates, ComputeTrace, Pause, Failure, DrawnDelay>;

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

  /// Takes O(1) per cause, but: MarkovStates expected O(min(iteration, sojourn)); DrawnComputeTime and
  /// DrawnDelay O(log n) of their size; RandomDelay O(P + k) for k of P workers where an iteration was not
  /// among the last ones asked for, which it keeps. So calls on one object must not run at the same time on
  /// several threads.
  Load load(Rank rank, std::int64_t iteration) const;

  /// The first iteration that this worker does not begin, if it fails.
  std::optional<std::int64_t> failure_iteration(Rank rank) const;

 private:
  int workers_;
  std::vector<std::unique_ptr<const ImbalanceCause>> causes_;
  std::vector<Failure> failures_;
};

}  // namespace starling
