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

/// How long iterations take at least on a network, found without simulating it.
///
/// Of a synchronous algorithm the greater one of
/// - its iteration time where messages take no time, with the same draws: no network makes it shorter, as
///   every point in time is a sum and maximum of earlier ones (Baccelli et al., "Synchronization and
///   Linearity", 1992). Of Horovod a cycle time less in all, as warm-up may end anywhere in a cycle; of
///   ByteScheduler, whose iterations end where nobody waits, what follows from the slowest worker of each;
/// - what the busiest link takes for the bytes of an iteration; where iterations end after their messages,
///   with the time in which nobody can have anything to send: the shortest delay and forward pass of the
///   iteration, and of `allreduce` its backward pass. But for what send buffers may hold of it then.
/// Of any other algorithm the mean over workers of their own work, as who waits for whom depends on the
/// network there; of those that average over a graph of exchanges, or in groups, of the greater one of that
/// and what the links take for what is sent to this worker alone: a run may be over before who is far away
/// has waited for a slow link.
///
/// Messages of 1500 B or less may pass beside others, so as many bytes of every message are not counted.
class LowerBounds {
 public:
  /// `plan` has one algorithm in each combination, and must outlive this object.
  explicit LowerBounds(const SweepPlan& plan) : plan_(plan) {}

  /// The mean over the plan's seeds. Costs what the run takes without a network, once for all networks
  /// for which the algorithm is made of the same collectives.
  /// @throws ScenarioError if the combination's scenario has an error.
  double iteration_time_s(std::int64_t combination) { return bound_s(combination, plain_mean); }
  /// A bound of the harmonic mean of the workers' own means, from which throughput follows.
  double time_of_samples_s(std::int64_t combination) { return bound_s(combination, harmonic_mean); }

 private:
  /// What an algorithm does, on all networks for which it is made of the same collectives.
  struct Needs {
    double least_s = 0;               // of a synchronous one: an iteration where messages take no time
    double idle_s = 0;                // of an iteration, in which nobody has anything to send
    double messages = 0;              // of an iteration
    TrafficMatrix traffic = {};       // of an iteration, bytes; none if it does not bound anything
    std::vector<double> work_s = {};  // of one that is not synchronous: every worker's own
  };
  using MeanOfWorkers = double (*)(std::span<const double>);

  double bound_s(std::int64_t combination, MeanOfWorkers mean);
  static Needs needs_of(const ScenarioJob& job);
  /// `first` is the job of the first seed, `made` what its algorithm was made of.
  const Needs& needs_of(const ScenarioDocument& document, const ScenarioJob& first, const std::string& made,
                        int replication);

  const SweepPlan& plan_;
  std::map<std::string, Needs> needs_;  // by all of a scenario but its network, and what was made for that
};

}  // namespace starling
