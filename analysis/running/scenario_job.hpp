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

/// @throws ScenarioError if the scenario is about several jobs.
void refuse_jobs(const Scenario& scenario);

/// A scenario made ready to run, on whatever machine: its network, its random draws and its algorithms. Where
/// its placement is to be optimized, that is done for what the algorithms send under block placement,
/// iteration by iteration.
class ScenarioJob {
 public:
  /// The scenario must outlive the job. Tells how finding an optimized placement goes on.
  /// @throws ScenarioError if an algorithm does not fit the cluster, before the first one runs for an hour.
  explicit ScenarioJob(const Scenario& scenario, OptionalProgress progress = {});
  /// One of several jobs, whose workers `routes` joins, and must outlive this object, too.
  ScenarioJob(const Scenario& scenario, const Routes& routes);
  ScenarioJob(const ScenarioJob&) = delete;
  ScenarioJob& operator=(const ScenarioJob&) = delete;

  const Scenario& scenario() const { return scenario_; }
  /// The network of a job that has the cluster to itself.
  const Network& network() const { return *network_; }
  /// Which joins the workers.
  const Routes& routes() const { return routes_; }
  const ClusterFacts& facts() const { return facts_; }
  int workers() const { return routes_.workers(); }

  /// Of the algorithm of that number: its options, which are the scenario's until replaced; its run; the
  /// same run with data, if there is something to learn.
  const TrainingOptions& options(std::size_t index) const { return runs_[index].options; }
  PreparedRun run(std::size_t index) const;
  std::optional<PreparedRun> learning_run(std::size_t index) const;

  /// What the algorithm's workers send to each other in a pattern of its iterations, or in a part of so many.
  TrafficMatrix traffic(std::size_t index) const;
  std::int64_t iterations_of_pattern(std::size_t index) const;
  static constexpr std::int64_t most_iterations_of_pattern = 64;

  /// How many each worker does, warm-up included, until replaced: the scenario's number, or, where iterations
  /// go on until means are known, at first about so many that whole periods are counted.
  std::int64_t iterations(std::size_t index) const { return runs_[index].iterations; }
  void set_iterations(std::size_t index, std::int64_t iterations) { runs_[index].iterations = iterations; }

  /// Of a run that goes on until its mean is known: the warm-up, and at least so many that are counted, as
  /// whole periods, at most as many as the scenario allows.
  std::int64_t iterations_to_count(std::size_t index, std::int64_t counted) const {
    return iterations_of(options(index), counted);
  }

  /// A sentence for each algorithm of which other than whole periods are counted; none where iterations go on
  /// until means are known.
  std::vector<std::string> partial_periods() const;

  /// Makes the algorithm anew. @throws ScenarioError if it does not fit.
  void replace_options(std::size_t index, TrainingOptions options);

 private:
  struct Run {
    TrainingOptions options;
    std::unique_ptr<TrainingAlgorithm> algorithm;
    std::unique_ptr<TrainingAlgorithm> learning_algorithm;  // null if there is nothing to learn
    std::int64_t iterations = 0;
  };

  /// Places the ranks anew, for what all algorithms send, and makes all algorithms anew.
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
  std::optional<Network> network_;  // none of one of several jobs
  const Routes& routes_;
  ImbalanceModel imbalance_;
  ClusterFacts facts_;
  std::optional<Workload> learning_workload_;  // if there is something to learn
  std::vector<Run> runs_;
  bool only_links_limit_ = false;
};

}  // namespace starling
