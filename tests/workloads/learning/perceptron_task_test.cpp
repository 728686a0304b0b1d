#include "workloads/learning/perceptron_task.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

#include "base/errors.hpp"
#include "task_checks.hpp"
#include "tests/rounding.hpp"
#include "tests/workloads/imbalance/sample.hpp"

namespace starling {
namespace {

std::shared_ptr<const DataSet> small_data(int points = 60) {
  return std::make_shared<const DataSet>(
      generated_data_set({.points = points, .features = 5, .classes = 3, .separation = 3}));
}

/// One worker with all points, every batch all of them.
PerceptronTask whole_task(const std::vector<int>& hidden, int points = 60) {
  return PerceptronTask(small_data(points), iid_partition(points, 1, 1), {.hidden = hidden, .batch_size = 0});
}

TEST_CASE("layers have a weight for each pair of units and a bias for each output") {
  CHECK(whole_task({}).parameters() == 5 * 3 + 3);
  CHECK(whole_task({7}).parameters() == (5 * 7 + 7) + (7 * 3 + 3));
  CHECK(whole_task({7, 4}).parameters() == (5 * 7 + 7) + (7 * 4 + 4) + (4 * 3 + 3));
}

TEST_CASE("the gradients of perceptrons with 0, 1 and 2 hidden layers are the slopes of their losses") {
  for (const std::vector<int>& hidden : {std::vector<int>{}, {7}, {6, 4}}) {
    const PerceptronTask task = whole_task(hidden);
    // Over ±0.0005 hardly a unit switches on or off for any of the 60 points; float rounding leaves some 10⁻⁷
    // of a loss of about 1, over 0.001.
    check_against_differences(task, task.initial_parameters(), 0.0005, 1e-3);
  }
}

TEST_CASE("logistic regression on one point is right by hand") {
  auto data = std::make_shared<DataSet>();
  *data = {.name = "one", .features = 1, .classes = 2, .values = {2}, .labels = {1}};
  const PerceptronTask task(data, {{0}}, {.batch_size = 0});
  // Outputs 2·1 + 0 and 2·0 + 1: a difference of 1 against the label.
  const std::vector<float> parameters = {1, 0, 0, 1};
  const double probability = 1 / (1 + std::exp(1.0));
  CHECK(task.loss(parameters) == about(-std::log(probability), 1e-6));  // float exponentials
  const std::vector<float> gradients = gradient_of(task, 0, 0, parameters);
  const double slope = 1 - probability;
  for (const auto& [index, expected] : std::vector<std::pair<std::size_t, double>>{
           {0, 2 * slope}, {1, -2 * slope}, {2, slope}, {3, -slope}}) {
    CHECK(gradients[index] == about(expected, 1e-6));
  }
}

TEST_CASE("outputs of a thousand do not overflow the loss") {
  const PerceptronTask task = whole_task({});
  const std::vector<float> parameters(18, 0.0F);
  CHECK(task.loss(parameters) == about(std::log(3.0), 1e-6));  // three equal probabilities
  std::vector<float> far = parameters;
  far[15] = 10'000;  // the bias of the first class: right for 20 points, 10,000 off for 40
  CHECK(task.loss(far) == about(10'000.0 * 40 / 60, 1e-6));
}

TEST_CASE("the loss of many chunks of points is that of all points") {
  // 1,300 points are three chunks; the gradient takes them at once, and vanishing differences tie both
  // together.
  const PerceptronTask task = whole_task({4}, 1300);
  check_against_differences(task, task.initial_parameters(), 0.0005, 1e-3);
}

TEST_CASE("gradient descent learns three clouds, by logistic regression and by a perceptron") {
  for (const std::vector<int>& hidden : {std::vector<int>{}, {16}}) {
    const PerceptronTask task = whole_task(hidden);
    const double start = task.loss(task.initial_parameters());
    const std::vector<float> end = train_alone(task, {.learning_rate = 0.3}, 400);
    CHECK(task.loss(end) < 0.25 * start);  // clouds 3 deviations apart overlap by less than a tenth
  }
}

TEST_CASE(
    "batches are drawn from the worker's own points, and follow from seed, worker and iteration alone") {
  const auto data = small_data();
  // Worker 0 has points of class 0 only, worker 1 the others.
  DataPartition partition(2);
  for (std::int64_t point = 0; point < 60; ++point) partition[point % 3 == 0 ? 0 : 1].push_back(point);
  const PerceptronTask task(data, partition, {.batch_size = 8});
  const std::vector<float> start = task.initial_parameters();
  for (int iteration = 0; iteration < 20; ++iteration) {
    CHECK(gradient_of(task, 0, iteration, start)[15] < 0);  // the bias of class 0 should grow
    CHECK(gradient_of(task, 1, iteration, start)[15] > 0);
  }
  const PerceptronTask again(data, partition, {.batch_size = 8});
  CHECK(gradient_of(again, 1, 7, start) == gradient_of(task, 1, 7, start));
  CHECK(gradient_of(task, 1, 8, start) != gradient_of(task, 1, 7, start));
  const PerceptronTask other(data, partition, {.batch_size = 8, .seed = 2});
  CHECK(gradient_of(other, 1, 7, start) != gradient_of(task, 1, 7, start));
  CHECK(other.initial_parameters() != start);
}

TEST_CASE("the gradients of many batches average to the gradient of all points") {
  const auto data = small_data();
  const PerceptronTask batches(data, iid_partition(60, 1, 1), {.batch_size = 4});
  const std::vector<float> start = batches.initial_parameters();
  const std::vector<float> whole = gradient_of(whole_task({}), 0, 0, start);
  std::vector<std::vector<double>> elements(start.size());
  for (int iteration = 0; iteration < 3000; ++iteration) {
    const std::vector<float> gradients = gradient_of(batches, 0, iteration, start);
    for (std::size_t i = 0; i < start.size(); ++i) elements[i].push_back(gradients[i]);
  }
  for (std::size_t i = 0; i < start.size(); ++i) {
    const SampleMoments moments = moments_of(elements[i]);
    CHECK(std::abs(moments.mean - whole[i]) < moments.mean_tolerance);
  }
}

TEST_CASE("initial parameters are uniform within one over the root of a layer's inputs") {
  const auto data =
      std::make_shared<const DataSet>(generated_data_set({.points = 4, .features = 100, .classes = 2}));
  const PerceptronTask task(data, {{0, 1, 2, 3}}, {.hidden = {50}});
  std::vector<double> scaled;
  const std::vector<float> start = task.initial_parameters();
  for (std::size_t i = 0; i < 5050; ++i) scaled.push_back(10 * start[i]);
  for (const double value : scaled) CHECK(std::abs(value) <= 1);
  const SampleMoments moments = moments_of(scaled);
  CHECK(std::abs(moments.mean) < moments.mean_tolerance);
  CHECK(std::abs(moments.variance - 1.0 / 3) < moments.variance_tolerance);
}

TEST_CASE("perceptrons that cannot be trained are rejected") {
  const auto data = small_data();
  const DataPartition all = iid_partition(60, 1, 1);
  CHECK_THROWS_WITH_AS(PerceptronTask(data, all, {.hidden = {3, 0}}),
                       "hidden layer 1 has 0 units; at least 1 is needed", std::invalid_argument);
  CHECK_THROWS_WITH_AS(PerceptronTask(data, all, {.batch_size = -1}),
                       "the batch size is -1; it must be at least 1, or 0 for all points of a worker",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(PerceptronTask(data, {}, {}), "the data set is spread over no worker",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(PerceptronTask(data, {{0}, {}}, {}), "worker 1 has no points", std::invalid_argument);
  CHECK_THROWS_WITH_AS(PerceptronTask(data, {{60}}, {}), "worker 0 has point 60 of a data set of 60",
                       std::invalid_argument);
  const PerceptronTask task(data, all, {});
  CHECK_THROWS_AS(gradient_of(task, 1, 0, task.initial_parameters()), InvariantError);
}

}  // namespace
}  // namespace starling
