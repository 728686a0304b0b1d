#include "tests/convergence/learning_scenario.hpp"

#include <utility>

#include "analysis/running/runner.hpp"

namespace starling {

Scenario learning_scenario(int workers, std::shared_ptr<const LearningTask> task, double learning_rate,
                           std::int64_t iterations) {
  Scenario scenario;
  scenario.file = "learning.json";
  scenario.name = "learning";
  scenario.iterations = iterations;
  scenario.cluster.workers = workers;
  scenario.cluster.network.kind = StarOptions{.link = {.bandwidth_Bps = 1e10, .latency_s = 1e-6}};
  scenario.workload.model.name = "one tensor";
  scenario.workload.model.tensors = {{"parameters", task->parameters()}};
  scenario.workload.model.layers = {{"layer", "Linear", 0, 1, 1}};
  scenario.workload.batch_size = 1;
  scenario.workload.forward_s = {0.01};
  scenario.workload.backward_s = {0.02};
  OptimizerOptions optimizer;
  optimizer.learning_rate = learning_rate;
  scenario.learning = LearningOptions{
      .task_name = "test", .task = std::move(task), .optimizer = optimizer, .target_loss = {}};
  return scenario;
}

std::vector<LearningResult> learn(const Scenario& scenario) {
  std::vector<LearningResult> learned;
  for (const RunResult& run : simulate(scenario).runs) learned.push_back(*run.learning);
  return learned;
}

}  // namespace starling
