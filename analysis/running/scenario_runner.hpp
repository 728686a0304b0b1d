#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/training/shared/cluster_facts.hpp"
#include "algorithms/training/shared/training_algorithm.hpp"
#include "algorithms/training/synchronous/dear.hpp"
#include "analysis/results/result.hpp"
#include "analysis/running/run_observers.hpp"
#include "scenarios/reading/scenario.hpp"
#include "sim/networks/network_model.hpp"
#include "sim/simulated/simulated_world.hpp"
#include "topologies/networks/network.hpp"
#include "workloads/imbalance/imbalance.hpp"
#include "workloads/learning/replica.hpp"
#include "workloads/records/iteration_log.hpp"
#include "workloads/records/participation.hpp"

namespace starling {

/// What a run leaves behind.
struct Outcome {
  IterationLog log;
  ParticipationLog participation;
  RunStatistics statistics;
  bool is_exact = true;  // false only if collectives were evaluated at once and had better not
};

/// A simulated machine.
struct Machine {
  const Network& network;
  NetworkModel& model;
  MessageCosts costs;
};

/// One scenario's job, whose algorithms run one after the other; derived classes know on which machine.
///
/// What a run leaves behind must be the same in every process that runs the scenario, if there are several.
class ScenarioRunner {
 public:
  ScenarioRunner(const Scenario& scenario, const RunObservers& observers);
  ScenarioRunner(const ScenarioRunner&) = delete;
  ScenarioRunner& operator=(const ScenarioRunner&) = delete;
  virtual ~ScenarioRunner() = default;

  /// Once, before run_all(). @throws ScenarioError if an algorithm does not fit the cluster.
  void make_algorithms();
  Result run_all();

 protected:
  /// What the result calls the machine.
  virtual std::string engine() const = 0;
  /// Runs an algorithm without data.
  virtual Outcome execute(const TrainingAlgorithm& algorithm, std::int64_t iterations, TraceSink* trace) = 0;
  /// Runs the algorithm of that number for the result, with a timeline if one is wanted; sets what only this
  /// machine knows of the result.
  virtual Outcome measure(std::size_t index, RunResult& result) = 0;
  /// What learning has come to, if the scenario has a task; `timed` is the log that measure() gave.
  virtual std::optional<LearningResult> learn(std::size_t index, const IterationLog& timed) = 0;
  /// How many iterations measure() and learn() take, times a run's.
  virtual std::int64_t runs_of_each() const = 0;

  /// All workers in this process.
  RunStatistics simulate_on(const Machine& machine, const TrainingAlgorithm& algorithm,
                            const TrainingJob& job, TraceSink* trace,
                            const std::function<Replica(Rank)>& replica);
  TrainingJob timed_job(std::int64_t iterations, IterationLog& log, ParticipationLog& participation) const;
  /// Only where there is something to learn: the job with data, and a worker's replica.
  TrainingJob learning_job(IterationLog& log, ModelObserver& learned) const;
  Replica learner(Rank rank) const;
  Load load(Rank rank, std::int64_t iteration) const;

  const Scenario& scenario() const { return scenario_; }
  const RunObservers& observers() const { return observers_; }
  const Network& network() const { return network_; }
  const ImbalanceModel& imbalance() const { return imbalance_; }
  const TrainingAlgorithm& algorithm(std::size_t index) const { return *algorithms_[index]; }
  /// Only where there is something to learn.
  const TrainingAlgorithm& learning_algorithm(std::size_t index) const {
    return *learning_algorithms_[index];
  }
  void count_events(std::uint64_t events) { events_ += events; }

 private:
  void expect_progress() const;
  std::unique_ptr<TrainingAlgorithm> make(const TrainingOptions& options, std::size_t index,
                                          const Workload& workload) const;
  void attribute_waiting_of(const TrainingOptions& options, const TrainingAlgorithm& algorithm,
                            IterationLog& log);
  double trial_time_s(DearOptions options, double bucket_bytes, std::size_t index);
  Outcome run(std::size_t index, RunResult& result);
  void describe(const Outcome& outcome, const TrainingOptions& options, RunResult& result) const;

  const Scenario& scenario_;
  const RunObservers& observers_;
  Network network_;
  ImbalanceModel imbalance_;
  ClusterFacts facts_;
  std::vector<std::unique_ptr<TrainingAlgorithm>> algorithms_;
  // Where there is something to learn:
  std::optional<Workload> learning_workload_;
  std::vector<std::unique_ptr<TrainingAlgorithm>> learning_algorithms_;
  std::uint64_t events_ = 0;
};

/// The host of every rank of the scenario's network.
std::vector<int> hosts_of_ranks(const Network& network);

}  // namespace starling
