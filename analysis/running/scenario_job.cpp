#include "analysis/running/scenario_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "algorithms/training/registry.hpp"
#include "analysis/running/job_traffic.hpp"
#include "analysis/running/network_facts.hpp"
#include "analysis/running/run_facts.hpp"
#include "base/numbers/common_period.hpp"
#include "io/scenario_error.hpp"
#include "scenarios/reading/scenario_reader.hpp"
#include "sim/random.hpp"
#include "topologies/placement/optimized_placement.hpp"
#include "workloads/learning/learning_workload.hpp"

namespace starling {

void refuse_jobs(const Scenario& scenario) {
  if (scenario.jobs.empty()) return;
  throw ScenarioError({.file = scenario.file.string(),
                       .place = "/jobs",
                       .problem = "several jobs can only be simulated, all of them together",
                       .got = "",
                       .expected = "`starling run`, or a scenario with \"workload\" and \"algorithms\""});
}

namespace {

const Scenario& without_jobs(const Scenario& scenario) {
  refuse_jobs(scenario);
  return scenario;
}

}  // namespace

ScenarioJob::ScenarioJob(const Scenario& scenario, OptionalProgress progress)
    : scenario_(without_jobs(scenario)),
      network_(network_of(scenario.cluster, scenario.host_costs, scenario.jitter)),
      routes_(*network_),
      imbalance_(scenario.imbalance, routes_.workers(), scenario.seed, scenario.workload.compute_total_s()),
      facts_(facts_of(*network_, scenario.message_costs)) {
  make_all();
  const PlacementOptions& placement = scenario.cluster.placement;
  if (placement.name == optimized_placement && placement.hosts.empty()) optimize_placement(progress);
  only_links_limit_ = do_only_links_limit(scenario, routes_);
}

ScenarioJob::ScenarioJob(const Scenario& scenario, const Routes& routes)
    : scenario_(scenario),
      routes_(routes),
      imbalance_(scenario.imbalance, routes_.workers(), scenario.seed, scenario.workload.compute_total_s()),
      facts_(facts_of(routes, scenario.message_costs)) {
  make_all();
  only_links_limit_ = do_only_links_limit(scenario, routes_);
}

void ScenarioJob::make_all() {
  if (scenario_.learning)
    learning_workload_ = learning_workload(scenario_.workload, scenario_.learning->task->parameters());
  for (std::size_t i = 0; i < scenario_.algorithms.size(); ++i)
    runs_.push_back(make(i, scenario_.algorithms[i].options));
}

std::int64_t ScenarioJob::iterations_of_pattern(std::size_t index) const {
  return std::min(options(index).pattern_period(facts_), most_iterations_of_pattern);
}

TrafficMatrix ScenarioJob::traffic(std::size_t index) const {
  return traffic_of(run(index), routes_, iterations_of_pattern(index));
}

std::vector<std::string> ScenarioJob::partial_periods() const {
  std::vector<std::string> sentences;
  if (scenario_.precision) return sentences;
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const std::int64_t counted = iterations(i) - scenario_.warmup_iterations;
    const std::int64_t period = counted_period(options(i), facts_, scenario_.imbalance);
    if (is_of_partial_periods(counted, period))
      sentences.push_back(fmt::format(
          "{} repeats its pattern after {} iterations, and {} are counted, which are not whole periods: what "
          "happens once per period has too much or too little weight in its mean",
          scenario_.algorithms[i].label, period, counted));
  }
  return sentences;
}

void ScenarioJob::optimize_placement(OptionalProgress progress) {
  std::int64_t steps = 0;
  for (std::size_t i = 0; i < runs_.size(); ++i)
    steps += steps_by_iteration(run(i), routes_, iterations_of_pattern(i));
  progress.expect(steps);
  progress.begin("placement");
  std::vector<TrafficRounds> traffic_of_each;
  for (std::size_t i = 0; i < runs_.size(); ++i)
    traffic_of_each.push_back(traffic_by_iteration(run(i), routes_, iterations_of_pattern(i), progress));
  const PlacementSite site{.workers = network_->workers(),
                           .workers_per_host = network_->workers_per_host(),
                           .hosts = network_->hosts(),
                           .dimensions = network_->dimensions()};
  ClusterOptions cluster = scenario_.cluster;
  cluster.placement.hosts = optimized_hosts(traffic_of_each, site, *network_);
  network_ = network_of(cluster, scenario_.host_costs, scenario_.jitter);
  facts_ = facts_of(*network_, scenario_.message_costs);
  for (std::size_t i = 0; i < runs_.size(); ++i) runs_[i] = make(i, std::move(runs_[i].options));
}

PreparedRun ScenarioJob::run(std::size_t index) const {
  return prepared(*runs_[index].algorithm, scenario_.workload, runs_[index].iterations);
}

std::optional<PreparedRun> ScenarioJob::learning_run(std::size_t index) const {
  if (!learning_workload_) return std::nullopt;
  PreparedRun run = prepared(*runs_[index].learning_algorithm, *learning_workload_, runs_[index].iterations);
  run.learning = &*scenario_.learning;
  return run;
}

void ScenarioJob::replace_options(std::size_t index, TrainingOptions options) {
  const std::int64_t iterations = runs_[index].iterations;
  runs_[index] = make(index, std::move(options));
  runs_[index].iterations = iterations;
}

ScenarioJob::Run ScenarioJob::make(std::size_t index, TrainingOptions options) const {
  Run run{.options = std::move(options),
          .algorithm = nullptr,
          .learning_algorithm = nullptr,
          .iterations = scenario_.iterations};
  run.algorithm = make(index, run.options, scenario_.workload);
  if (scenario_.precision)
    run.iterations = iterations_of(run.options, scenario_.iterations - scenario_.warmup_iterations);
  if (learning_workload_) run.learning_algorithm = make(index, run.options, *learning_workload_);
  return run;
}

std::int64_t ScenarioJob::iterations_of(const TrainingOptions& options, std::int64_t counted) const {
  const std::int64_t warmup = scenario_.warmup_iterations;
  return warmup + whole_periods(counted, counted_period(options, facts_, scenario_.imbalance),
                                scenario_.precision->most_iterations - warmup);
}

std::unique_ptr<TrainingAlgorithm> ScenarioJob::make(std::size_t index, const TrainingOptions& options,
                                                     const Workload& workload) const {
  const std::string& of_job = scenario_.algorithm_place;
  const std::string place = of_job.empty() ? "/algorithms/" + std::to_string(index) : of_job;
  try {
    auto algorithm = naming_place(scenario_.file.string(), place,
                                  [&] { return make_training_algorithm(options, workload, facts_); });
    algorithm->set_label(of_job.empty() ? scenario_.algorithms[index].label : "job " + scenario_.name);
    return algorithm;
  } catch (const ScenarioError& error) {
    throw naming_override(error, scenario_);
  }
}

/// The load of the imbalance model; jitter multiplies its whole factor, be that random or not.
Load ScenarioJob::load(Rank rank, std::int64_t iteration) const {
  constexpr std::uint32_t of_computing = 1;  // links use draw 0
  Load load = imbalance_.load(rank, iteration);
  if (const Jitter& jitter = scenario_.jitter; jitter.share > 0) {
    const double drawn =
        CounterRandom(jitter.seed, Purpose::ties)
            .uniform(static_cast<std::uint32_t>(rank), static_cast<std::uint64_t>(iteration), of_computing);
    load.factor *= 1 + jitter.share * (2 * drawn - 1);
  }
  return load;
}

PreparedRun ScenarioJob::prepared(const TrainingAlgorithm& algorithm, const Workload& workload,
                                  std::int64_t iterations) const {
  return {.algorithm = algorithm,
          .workload = workload,
          .iterations = iterations,
          .seed = scenario_.seed,
          .load = [this](Rank rank, std::int64_t iteration) { return load(rank, iteration); },
          .only_links_limit = only_links_limit_};
}

}  // namespace starling
