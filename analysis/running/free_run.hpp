#pragma once

#include <cstddef>
#include <memory>

#include "analysis/running/scenario_job.hpp"
#include "io/terminal/progress_line.hpp"
#include "topologies/networks/network.hpp"

namespace starling {

/// A star on which messages take less than a nanosecond.
Network free_network(int workers);

/// No costs, but messages still go by rendezvous where they do under `costs`, and so wait for receivers.
MessageCosts free_costs(const MessageCosts& costs);

/// An algorithm of a job, with operations that cost nothing besides computing and messages.
class FreeAlgorithm {
 public:
  /// The job must outlive this object.
  FreeAlgorithm(const ScenarioJob& job, std::size_t index);
  /// The run, with the draws of the job. Valid as long as this object.
  PreparedRun run() const;

 private:
  PreparedRun own_;
  std::unique_ptr<TrainingAlgorithm> algorithm_;
};

/// Runs an algorithm of the job with the same draws on a free network, with free_costs(): what remains is
/// computing, and waiting for others' computing. Collectives of synchronous algorithms are evaluated unless
/// the scenario forbids it; those of other algorithms are simulated.
Outcome free_run(const ScenarioJob& job, std::size_t index, OptionalProgress progress = {});

}  // namespace starling
