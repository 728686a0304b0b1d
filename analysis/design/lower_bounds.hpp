#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "analysis/running/scenario_job.hpp"
#include "analysis/studies/sweep_plan.hpp"

namespace starling {

/// How long iterations take at least on a network, found without simulating it.
///
/// Of an algorithm whose workers wait for each other in a fixed order (synchronous ones, and those that
/// average over a graph) the greater one of
/// - its iteration time where messages take no time, with the same draws: no network makes it shorter, as
///   every point in time is a sum and maximum of earlier ones (Baccelli et al., "Synchronization and
///   Linearity", 1992). Of Horovod a cycle time less in all, as warm-up may end anywhere in a cycle;
/// - what the busiest link takes for the bytes of an iteration; of a synchronous algorithm whose iterations
///   end after their messages, with the time in which nobody can have anything to send: the shortest delay
///   and forward pass of the iteration, and of `allreduce` its backward pass.
/// Of any other algorithm a worker's own work: who waits for whom depends on the network there.
///
/// Messages of 1500 B or less may pass beside others, so as many bytes of every message are not counted.
class LowerBounds {
 public:
  /// `plan` has one algorithm in each combination, and must outlive this object.
  explicit LowerBounds(const SweepPlan& plan) : plan_(plan) {}

  /// The mean over the plan's seeds. Costs what the run takes without a network, once for all networks.
  /// @throws ScenarioError if the combination's scenario has an error.
  double iteration_time_s(std::int64_t combination) { return bound_s(combination, &Needs::least_s); }
  /// The same of the harmonic mean of the workers' own means, from which throughput follows.
  double time_of_samples_s(std::int64_t combination) {
    return bound_s(combination, &Needs::least_of_samples_s);
  }

 private:
  /// What an algorithm does whatever the network.
  struct Needs {
    double least_s = 0;  // an iteration where messages take no time
    double least_of_samples_s =
        0;                       // likewise; as the harmonic mean over workers, if some get ahead of others
    double idle_s = 0;           // of an iteration, in which nobody has anything to send
    TrafficMatrix traffic = {};  // of an iteration, bytes; none if it depends on the network
  };

  double bound_s(std::int64_t combination, double Needs::*least_s);
  static Needs needs_of(const ScenarioJob& job);
  const Needs& needs_of(const ScenarioDocument& document, const ScenarioJob* job);

  const SweepPlan& plan_;
  std::map<std::string, Needs> needs_;  // by all of a scenario but its network
};

}  // namespace starling
