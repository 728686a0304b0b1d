#include "analysis/running/machine.hpp"

#include <utility>

#include "workloads/learning/learning_workload.hpp"

namespace starling {

TrainingJob training_job(const PreparedRun& run, Outcome& outcome, ModelObserver* learned) {
  return {.workload = run.workload,
          .iterations = run.iterations,
          .load = run.load,
          .log = outcome.log,
          .participation = &outcome.participation,
          .learning = learned,
          .seed = run.seed};
}

Replica replica_for(const PreparedRun& run, Rank rank) {
  if (run.learning == nullptr) return Replica(run.workload);
  return learning_replica(run.workload, run.learning->task, rank, run.learning->optimizer);
}

LoadSource counted(LoadSource load, OptionalProgress progress, std::int64_t steps) {
  return [load = std::move(load), progress, steps](Rank rank, std::int64_t iteration) {
    progress.advance(steps);
    return load(rank, iteration);
  };
}

}  // namespace starling
