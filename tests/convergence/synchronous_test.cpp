#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/convergence/learning_scenario.hpp"
#include "tests/rounding.hpp"
#include "workloads/learning/data_partition.hpp"
#include "workloads/learning/data_set.hpp"
#include "workloads/learning/hyperplane_task.hpp"
#include "workloads/learning/perceptron_task.hpp"
#include "workloads/learning/quadratic_task.hpp"

namespace starling {
namespace {

/// Gradients are small whole numbers, so sums of them are exact in any order.
class ExactTask final : public LearningTask {
 public:
  std::int64_t parameters() const override { return 57; }
  std::vector<float> initial_parameters() const override { return std::vector<float>(57, 0.1F); }
  void gradient(int worker, std::int64_t iteration, std::span<const float> parameters,
                std::span<float> gradients) const override {
    for (std::size_t k = 0; k < gradients.size(); ++k) {
      const auto draw = static_cast<float>(
          (7 * k + 3 * static_cast<std::size_t>(worker) + 11 * static_cast<std::size_t>(iteration)) % 17);
      gradients[k] = draw - 8 + (parameters[k] > 0 ? 5.0F : -5.0F);
    }
  }
  double loss(std::span<const float> parameters) const override {
    double sum = 0;
    for (const float x : parameters) sum += static_cast<double>(x) * x;
    return sum;
  }
};

/// The loss at the start and after every iteration of one process that follows the mean gradient.
std::vector<double> serial_losses(const LearningTask& task, int workers, double learning_rate,
                                  std::int64_t iterations) {
  std::vector<float> model = task.initial_parameters();
  std::vector<float> gradient(model.size());
  std::vector<double> losses = {task.loss(model)};
  const auto rate = static_cast<float>(learning_rate * (1.0 / workers));
  for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
    std::vector<float> sum(model.size());
    for (int worker = 0; worker < workers; ++worker) {
      task.gradient(worker, iteration, model, gradient);
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += gradient[k];
    }
    for (std::size_t k = 0; k < sum.size(); ++k) model[k] -= rate * sum[k];
    losses.push_back(task.loss(model));
  }
  return losses;
}

/// DeAR and ByteScheduler apply gradients in the next forward pass, behind the iteration's end.
bool updates_late(const std::string& label) { return label == "dear" || label == "bytescheduler"; }

/// Runs every synchronous algorithm and holds its losses to the serial ones, to the last bit.
void check_against_serial(const std::shared_ptr<const LearningTask>& task, int workers,
                          double learning_rate) {
  constexpr std::int64_t iterations = 6;
  Scenario scenario = learning_scenario(workers, task, learning_rate, iterations);
  scenario.imbalance = {RandomDelay{.workers = 1, .delay_s = 0.01}};
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, AllreduceOptions{.collective = "halving_doubling"});
  add_algorithm(scenario, WfbpOptions{});
  add_algorithm(scenario, DdpOptions{.collective = "double_tree", .bucket_bytes = 100});
  add_algorithm(scenario, HorovodOptions{});
  add_algorithm(scenario, MgWfbpOptions{.collective = "recursive_doubling"});
  add_algorithm(scenario, ByteSchedulerOptions{.partition_bytes = 1024});
  add_algorithm(scenario, DearOptions{});
  const std::vector<double> serial = serial_losses(*task, workers, learning_rate, iterations);
  REQUIRE(serial.front() != serial.back());
  const std::vector<LearningResult> learned = learn(scenario);
  for (std::size_t run = 0; run < learned.size(); ++run) {
    const std::string& label = scenario.algorithms[run].label;
    CAPTURE(label);
    REQUIRE(learned[run].rows.size() == serial.size());
    for (std::size_t n = 0; n < serial.size(); ++n) {
      CHECK(learned[run].rows[n].record.loss == serial[updates_late(label) && n > 0 ? n - 1 : n]);
      CHECK(learned[run].rows[n].record.consensus_distance == 0);
    }
  }
}

TEST_CASE(
    "where sums are exact, every synchronous algorithm learns what serial descent on the mean gradient "
    "does") {
  for (const int workers : {1, 2, 3, 8}) {
    CAPTURE(workers);
    check_against_serial(std::make_shared<ExactTask>(), workers, 0.01);
  }
}

TEST_CASE("two numbers have one sum: two workers learn every task as serial descent does, to the last bit") {
  check_against_serial(std::make_shared<QuadraticTask>(QuadraticOptions{
                           .dimension = 33, .gradient_noise = 0.5, .heterogeneity = 1, .workers = 2}),
                       2, 0.3);
  check_against_serial(
      std::make_shared<HyperplaneTask>(HyperplaneOptions{.features = 50, .points = 200, .batch_size = 10}), 2,
      0.01);
  const auto data = std::make_shared<const DataSet>(generated_data_set({.points = 200, .features = 6}));
  check_against_serial(std::make_shared<PerceptronTask>(data, dirichlet_partition(data->labels, 2, 0.5, 1),
                                                        PerceptronOptions{.hidden = {9}, .batch_size = 16}),
                       2, 0.2);
}

TEST_CASE("rows are told at the end of the last worker's iteration, as without learning") {
  const auto task = std::make_shared<QuadraticTask>(QuadraticOptions{.workers = 4});
  Scenario scenario = learning_scenario(4, task, 0.1, 5);
  scenario.imbalance = {Pause{.worker = 1, .iteration = 2, .duration_s = 7}};
  add_algorithm(scenario, AllreduceOptions{});
  const std::vector<LearningRow> rows = learn(scenario)[0].rows;
  REQUIRE(rows.size() == 6);
  CHECK(rows[0].time_s == 0);
  // 100 floats on the wire take microseconds.
  const double iteration_s = rows[1].time_s;
  CHECK(iteration_s == about(0.03, 1e-2));
  CHECK(rows[2].time_s == about(2 * iteration_s, 1e-9));
  CHECK(rows[3].time_s == about(3 * iteration_s + 7, 1e-4));
  CHECK(rows[5].record.iterations == 5);
}

}  // namespace
}  // namespace starling
