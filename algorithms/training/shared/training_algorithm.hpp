#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "algorithms/collectives/collective_executor.hpp"
#include "algorithms/training/shared/layers_time.hpp"
#include "algorithms/training/shared/typical_traffic.hpp"
#include "sim/worker.hpp"
#include "workloads/learning/learning_log.hpp"
#include "workloads/learning/replica.hpp"
#include "workloads/models/workload.hpp"
#include "workloads/records/iteration_log.hpp"
#include "workloads/records/participation.hpp"

namespace starling {

/// A training job as one worker sees it.
struct TrainingJob {
  const Workload& workload;
  std::int64_t iterations = 0;
  /// The load of a worker in an iteration (its imbalance), a pure function. Each worker asks once per
  /// iteration, in order, when the iteration begins. Without a function there is no imbalance.
  std::function<Load(Rank rank, std::int64_t iteration)> load;
  /// Receives one record per worker and iteration.
  IterationLog& log;
  /// Runs the collectives of all workers, where the algorithm has no other traffic, or only control messages.
  /// If null, collectives are run message by message.
  CollectiveExecutor* executor = nullptr;
  /// Receives which workers contributed to which averages.
  ParticipationNotes participation = {};
  /// Receives the model of every worker with real data at the end of every iteration; may be null.
  ModelObserver* learning = nullptr;
  /// Seed of the random choices that all workers must make alike.
  std::uint64_t seed = 0;
  /// Caches of the latest sums over layers: workers mostly ask for the same layers one after the other.
  mutable LayersTime forward_time = {};
  mutable LayersTime backward_time = {};
};

/// The value that an algorithm chose for an option that was left open, by the option's name.
struct Choice {
  std::string option;
  std::variant<std::int64_t, double> value;
};

/// Pointers to the schedules that an algorithm owns.
inline std::vector<const Schedule*> pointers_to(const std::vector<std::unique_ptr<Schedule>>& schedules) {
  std::vector<const Schedule*> pointers;
  for (const auto& schedule : schedules) pointers.push_back(schedule.get());
  return pointers;
}

/// A training algorithm: how workers compute, communicate and update. One object serves all workers of a run.
class TrainingAlgorithm {
 public:
  virtual ~TrainingAlgorithm() = default;

  /// Runs all iterations of one worker's job; every rank of the world must call it with an equal job.
  virtual void run(Worker& worker, Replica& replica, const TrainingJob& job) const = 0;

  /// The schedules of all collectives, if every worker runs them one after the other and sends nothing else;
  /// empty if there is any other traffic.
  virtual std::vector<const Schedule*> sequential_collectives() const { return {}; }

  /// The schedules that the algorithm's option `collective` determines; empty if it has no such option, or
  /// builds these schedules during the run.
  virtual std::vector<const Schedule*> configured_collectives() const { return sequential_collectives(); }

  /// Whether every worker runs its collectives one after the other and sends nothing else but control
  /// messages, which decide on the next collective.
  virtual bool has_control_beside_collectives() const { return false; }

  /// The number of iterations after which the algorithm's traffic repeats, for algorithms that are silent
  /// between iterations: no message is in flight from when the last worker ends an iteration until the first
  /// worker ends the next forward pass. 0 if messages may be in flight then.
  virtual std::int64_t quiescent_period() const { return 0; }

  /// The values that the algorithm chose for options that were left open.
  virtual std::vector<Choice> choices() const { return {}; }

  /// The approximate traffic of an iteration, for the workload that the algorithm was made for.
  virtual TypicalTraffic typical_traffic(const Workload&) const {
    TypicalTraffic traffic;
    for (const Schedule* schedule : sequential_collectives()) traffic.add(*schedule);
    return traffic;
  }

  /// The algorithm's name in errors of its runs; if empty, its kind is used.
  const std::string& label() const { return label_; }
  void set_label(std::string label) { label_ = std::move(label); }

 private:
  std::string label_;
};

}  // namespace starling
