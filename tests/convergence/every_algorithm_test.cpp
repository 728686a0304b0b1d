#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "tests/convergence/learning_scenario.hpp"
#include "workloads/learning/data_partition.hpp"
#include "workloads/learning/data_set.hpp"
#include "workloads/learning/perceptron_task.hpp"
#include "workloads/learning/quadratic_task.hpp"

namespace starling {
namespace {

void add_every_algorithm(Scenario& scenario) {
  // Of partitions that are smaller than its layers.
  const TrainingOptions bytescheduler = ByteSchedulerOptions{.partition_bytes = 1e5};
  for (const RegisteredAlgorithm& algorithm : registered_algorithms())
    add_algorithm(scenario, algorithm.kind() == bytescheduler.kind() ? bytescheduler : algorithm.defaults);
}

/// Replaces the model by one of a million parameters in nine tensors of very different sizes.
void use_large_model(Scenario& scenario) {
  Workload& workload = scenario.workload;
  workload.model.tensors.clear();
  workload.model.layers.clear();
  for (int layer = 0; layer < 9; ++layer) {
    workload.model.tensors.push_back({"tensor", layer % 3 == 0 ? 333'000 : 64});
    workload.model.layers.push_back({"layer", "Linear", layer, 1, 1});
  }
  workload.forward_s.assign(9, 0.001);
  workload.backward_s.assign(9, 0.002);
}

TEST_CASE("every algorithm learns a task much smaller than the model, or of one parameter") {
  for (const int dimension : {1, 40}) {
    CAPTURE(dimension);
    const auto task = std::make_shared<QuadraticTask>(
        QuadraticOptions{.dimension = dimension, .condition_number = 2, .workers = 8});
    Scenario scenario = learning_scenario(8, task, 0.5, 40);
    use_large_model(scenario);
    scenario.imbalance = {IndependentDelay{.probability = 0.2, .delay_s = 0.01}};
    add_every_algorithm(scenario);
    const std::vector<LearningResult> learned = learn(scenario);
    for (std::size_t run = 0; run < learned.size(); ++run) {
      CAPTURE(scenario.algorithms[run].label);
      REQUIRE(learned[run].rows.size() == 41);
      // Descent multiplies every element by 0.75 or less in each of 40 iterations.
      CHECK(learned[run].rows.back().record.loss < 0.01 * learned[run].rows.front().record.loss);
    }
  }
}

TEST_CASE("every algorithm learns a perceptron whose products are too large for a simulated worker's stack") {
  const auto data = std::make_shared<const DataSet>(
      generated_data_set({.points = 256, .features = 300, .classes = 3, .separation = 6}));
  const auto task = std::make_shared<PerceptronTask>(data, iid_partition(256, 4, 1),
                                                     PerceptronOptions{.hidden = {200}, .batch_size = 64});
  Scenario scenario = learning_scenario(4, task, 0.05, 12);
  use_large_model(scenario);
  add_every_algorithm(scenario);
  const std::vector<LearningResult> learned = learn(scenario);
  for (std::size_t run = 0; run < learned.size(); ++run) {
    CAPTURE(scenario.algorithms[run].label);
    CHECK(learned[run].rows.back().record.loss < learned[run].rows.front().record.loss);
  }
}

}  // namespace
}  // namespace starling
