#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "analysis/running/scenario_job.hpp"
#include "analysis/statistics/estimate.hpp"
#include "analysis/studies/sweep_plan.hpp"

namespace starling {

/// Lower bounds of the iteration time on a network, found without simulating the network.
///
/// For a synchronous algorithm, the bound is the greater of
/// - the iteration time if messages took no time, with the same random draws: no network makes it shorter, as
///   every point in time is a sum and maximum of earlier ones (Baccelli et al., "Synchronization and
///   Linearity", 1992). For Horovod one cycle time is subtracted from the whole run, as warm-up may end
///   anywhere in a cycle. For ByteScheduler, whose iterations end without waiting for messages, it is
///   computed from the slowest worker of each iteration;
/// - the time that the busiest link takes for the bytes of an iteration, less those that send buffers may
///   still hold when it ends. If iterations end after their messages, the time in which no worker can have
///   anything to send is added: the shortest delay and forward pass of the iteration, and for `allreduce` the
///   backward pass.
///
/// For any other algorithm, in which who waits for whom depends on the network, the bound is the mean over
/// workers of their own work. If it averages over a graph of mutual exchanges, or in groups, each worker
/// counts with the greater of its own work and the time that a link takes for the messages to this worker
/// alone; all messages on a link are not counted, as a run may be over before a slow link has delayed workers
/// far away.
///
/// Messages of 1500 B or less may overtake others, so 1500 B of every message are not counted.
///
/// A scenario whose runs continue until their means are precise enough (`iterations` as an object) has the
/// bound 0: the draws of later iterations are not known.
class LowerBounds {
 public:
  /// `plan` has one algorithm in each combination, and must outlive this object.
  explicit LowerBounds(const SweepPlan& plan) : plan_(plan) {}

  /// A lower bound of the iteration time, in seconds, as the mean over the plan's seeds. Costs a simulation
  /// without a network, once for all networks on which the algorithm uses the same collectives. @throws
  /// ScenarioError if the combination's scenario has an error.
  double iteration_time_s(std::int64_t combination) { return bound_s(combination, plain_mean); }
  /// A lower bound of the harmonic mean of the workers' mean iteration times, from which the throughput
  /// follows.
  double time_of_samples_s(std::int64_t combination) { return bound_s(combination, harmonic_mean); }

 private:
  /// What an algorithm needs per iteration, on any network on which it uses the same collectives.
  struct Needs {
    double least_s = 0;               // if synchronous: the iteration time if messages took no time
    double idle_s = 0;                // at the beginning, in which no worker has anything to send
    double messages = 0;              // of all workers
    TrafficMatrix traffic = {};       // in bytes; empty if links bound nothing
    std::vector<double> work_s = {};  // unless synchronous: each worker's own work
  };
  using MeanOfWorkers = double (*)(std::span<const double>);

  double bound_s(std::int64_t combination, MeanOfWorkers mean);
  static Needs needs_of(const ScenarioJob& job);
  /// The needs of a combination with a seed. `first` is the job of the first seed, `made` its
  /// made_for_network().
  const Needs& needs_of(const ScenarioDocument& document, const ScenarioJob& first, const std::string& made,
                        int replication);

  const SweepPlan& plan_;
  std::map<std::string, Needs> needs_;  // by the scenario without its network, and made_for_network()
};

}  // namespace starling
