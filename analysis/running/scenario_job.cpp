#include "analysis/running/scenario_job.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include "algorithms/training/registry.hpp"
#include "analysis/running/network_facts.hpp"
#include "io/scenario_error.hpp"
#include "workloads/learning/learning_workload.hpp"

namespace starling {

ScenarioJob::ScenarioJob(const Scenario& scenario)
    : scenario_(scenario),
      network_(network_of(scenario.cluster, scenario.host_costs)),
      imbalance_(scenario.imbalance, network_.workers(), scenario.seed, scenario.workload.compute_total_s()),
      facts_(facts_of(network_, scenario.message_costs)) {
  if (scenario.learning)
    learning_workload_ = learning_workload(scenario.workload, scenario.learning->task->parameters());
  for (std::size_t i = 0; i < scenario.algorithms.size(); ++i)
    runs_.push_back(make(i, scenario.algorithms[i].options));
}

PreparedRun ScenarioJob::run(std::size_t index) const {
  return prepared(*runs_[index].algorithm, scenario_.workload);
}

std::optional<PreparedRun> ScenarioJob::learning_run(std::size_t index) const {
  if (!learning_workload_) return std::nullopt;
  PreparedRun run = prepared(*runs_[index].learning_algorithm, *learning_workload_);
  run.learning = &*scenario_.learning;
  return run;
}

void ScenarioJob::replace_options(std::size_t index, TrainingOptions options) {
  runs_[index] = make(index, std::move(options));
}

ScenarioJob::Run ScenarioJob::make(std::size_t index, TrainingOptions options) const {
  Run run{.options = std::move(options), .algorithm = nullptr, .learning_algorithm = nullptr};
  run.algorithm = make(index, run.options, scenario_.workload);
  if (learning_workload_) run.learning_algorithm = make(index, run.options, *learning_workload_);
  return run;
}

std::unique_ptr<TrainingAlgorithm> ScenarioJob::make(std::size_t index, const TrainingOptions& options,
                                                     const Workload& workload) const {
  return naming_place(scenario_.file.string(), "/algorithms/" + std::to_string(index),
                      [&] { return make_training_algorithm(options, workload, facts_); });
}

PreparedRun ScenarioJob::prepared(const TrainingAlgorithm& algorithm, const Workload& workload) const {
  return {.algorithm = algorithm,
          .workload = workload,
          .iterations = scenario_.iterations,
          .seed = scenario_.seed,
          .load = [this](Rank rank, std::int64_t iteration) { return imbalance_.load(rank, iteration); }};
}

}  // namespace starling
