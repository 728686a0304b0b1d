#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/training/shared/cluster_facts.hpp"
#include "algorithms/training/shared/training_algorithm.hpp"
#include "analysis/running/machine.hpp"
#include "io/terminal/progress_line.hpp"
#include "scenarios/reading/scenario.hpp"
#include "topologies/networks/network.hpp"
#include "topologies/placement/rank_traffic.hpp"
#include "workloads/imbalance/imbalance.hpp"

namespace starling {

/// @throws ScenarioError if the scenario has several jobs.
void refuse_jobs(const Scenario& scenario);

/// A scenario made ready to run on any machine: its network, its random draws and its algorithms. A placement
/// that is to be optimized is optimized here, for what the algorithms send under block placement, iteration
/// by iteration.
class ScenarioJob {
 public:
  /// The scenario must outlive the job. `progress`: of optimizing the placement.
  /// @throws ScenarioError if an algorithm does not fit the cluster, before anything runs.
  explicit ScenarioJob(const Scenario& scenario, OptionalProgress progress = {});
  /// One of several jobs. `routes` connects the job's workers, and must outlive this object, too.
  ScenarioJob(const Scenario& scenario, const Routes& routes);
  ScenarioJob(const ScenarioJob&) = delete;
  ScenarioJob& operator=(const ScenarioJob&) = delete;

  const Scenario& scenario() const { return scenario_; }
  /// The network. Only for a job that has the cluster to itself.
  const Network& network() const { return *network_; }
  /// The routes between the job's workers.
  const Routes& routes() const { return routes_; }
  const ClusterFacts& facts() const { return facts_; }
  int workers() const { return routes_.workers(); }

  /// Of the algorithm with that index: its options, which are the scenario's until replaced; its run; and the
  /// same run with data, absent if there is no learning task.
  const TrainingOptions& options(std::size_t index) const { return runs_[index].options; }
  PreparedRun run(std::size_t index) const;
  std::optional<PreparedRun> learning_run(std::size_t index) const;

  /// What the algorithm's workers send to each other in one period of its pattern, but in at most
  /// most_iterations_of_pattern iterations.
  TrafficMatrix traffic(std::size_t index) const;
  std::int64_t iterations_of_pattern(std::size_t index) const;
  static constexpr std::int64_t most_iterations_of_pattern = 64;

  /// How many iterations each worker runs, warm-up included. Until set otherwise, the scenario's number;
  /// where iterations go on until means are precise, about that number, such that whole periods are counted.
  std::int64_t iterations(std::size_t index) const { return runs_[index].iterations; }
  void set_iterations(std::size_t index, std::int64_t iterations) { runs_[index].iterations = iterations; }

  /// For a run that goes on until its mean is precise: the warm-up and at least `counted` iterations, rounded
  /// up to whole periods, but at most as many as the scenario allows.
  std::int64_t iterations_to_count(std::size_t index, std::int64_t counted) const {
    return iterations_of(options(index), counted);
  }

  /// A warning for each algorithm of which other than whole periods are counted; none where iterations go on
  /// until means are precise.
  std::vector<std::string> partial_periods() const;

  /// Remakes the algorithm with these options. @throws ScenarioError if it does not fit the cluster.
  void replace_options(std::size_t index, TrainingOptions options);

 private:
  struct Run {
    TrainingOptions options;
    std::unique_ptr<TrainingAlgorithm> algorithm;
    std::unique_ptr<TrainingAlgorithm> learning_algorithm;  // null without a learning task
    std::int64_t iterations = 0;
  };

  /// Finds the placement that suits the traffic of all algorithms, and remakes network and algorithms with
  /// it.
  void optimize_placement(OptionalProgress progress);
  Run make(std::size_t index, TrainingOptions options) const;
  std::int64_t iterations_of(const TrainingOptions& options, std::int64_t counted) const;
  std::unique_ptr<TrainingAlgorithm> make(std::size_t index, const TrainingOptions& options,
                                          const Workload& workload) const;
  Load load(Rank rank, std::int64_t iteration) const;
  PreparedRun prepared(const TrainingAlgorithm& algorithm, const Workload& workload,
                       std::int64_t iterations) const;

  void make_all();

  const Scenario& scenario_;
  std::optional<Network> network_;  // absent for one of several jobs
  const Routes& routes_;
  ImbalanceModel imbalance_;
  ClusterFacts facts_;
  std::optional<Workload> learning_workload_;  // absent without a learning task
  std::vector<Run> runs_;
  bool only_links_limit_ = false;
};

}  // namespace starling
