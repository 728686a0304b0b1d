#include "workloads/learning/learning_log.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "tests/rounding.hpp"
#include "workloads/learning/quadratic_task.hpp"

namespace starling {
namespace {

using Models = std::vector<std::vector<float>>;

/// Mean over the vectors of their squared distance from the mean: two passes in extended precision.
double distance_in_two_passes(const Models& models) {
  long double sum = 0;
  for (std::size_t k = 0; k < models.front().size(); ++k) {
    long double mean = 0;
    for (const auto& model : models) mean += model[k];
    mean /= static_cast<long double>(models.size());
    for (const auto& model : models) sum += (model[k] - mean) * (model[k] - mean);
  }
  return static_cast<double>(sum / static_cast<long double>(models.size()));
}

std::shared_ptr<const QuadraticTask> task_of(int workers) {
  return std::make_shared<QuadraticTask>(QuadraticOptions{.dimension = 2, .workers = workers});
}

TEST_CASE("equal vectors have themselves as mean, to the last bit, and no distance") {
  const std::vector<float> model = {0.1F, -3.7e-30F, 1e30F, 16777217.0F};
  RunningMean mean;
  for (int worker = 0; worker < 7; ++worker) mean.add(model);
  CHECK(mean.mean() == model);
  CHECK(mean.mean_squared_distance() == 0);
}

TEST_CASE("distances are right where they are small beside the vectors") {
  // Sums of squares would have lost all digits: 10⁶ squared takes 40 bits, the distances begin 40 bits below.
  Models models;
  for (int worker = 0; worker < 9; ++worker) {
    const auto offset = static_cast<float>(worker % 4) * 0.0625F;
    models.push_back({1e6F + offset, -1e6F + 2 * offset, offset});
  }
  RunningMean mean;
  for (const auto& model : models) mean.add(model);
  // Doubles of about 10⁶ are rounded to 10⁻¹⁰, the distances are of the order of 0.1.
  CHECK(mean.mean_squared_distance() == about(distance_in_two_passes(models), 1e-8));
}

TEST_CASE(
    "the loss is taken of the mean model, before the first, after every so many and after the last "
    "iteration") {
  const auto task = task_of(2);
  LearningLog log(task, 2, 7, 3);
  for (std::int64_t iteration = 0; iteration < 7; ++iteration) {
    const auto x = static_cast<float>(iteration);
    log.end_iteration(0, std::vector<float>{x, 0});
    log.end_iteration(1, std::vector<float>{x, 4});
  }
  REQUIRE(log.records().size() == 4);
  CHECK(log.records()[0].iterations == 0);
  CHECK(log.records()[0].loss == task->loss(task->initial_parameters()));
  CHECK(log.records()[0].consensus_distance == 0);
  for (const std::size_t row : {1U, 2U, 3U}) {
    const std::int64_t iterations = row == 3 ? 7 : 3 * static_cast<std::int64_t>(row);
    CHECK(log.records()[row].iterations == iterations);
    CHECK(log.records()[row].loss == task->loss(std::vector<float>{static_cast<float>(iterations - 1), 2}));
    CHECK(log.records()[row].consensus_distance == 4);
  }
}

TEST_CASE("a worker that is ahead counts as far as it is, and one that has ended nothing as it began") {
  const auto task = task_of(3);
  const std::vector<float> start = task->initial_parameters();
  LearningLog log(task, 3, 4, 1);
  const auto end = [&](Rank rank, float x) { log.end_iteration(rank, std::vector<float>{x, x}); };
  end(0, 3);
  end(1, 6);
  CHECK(log.records().size() == 1);
  end(0, 9);  // the third: one each on average
  REQUIRE(log.records().size() == 2);
  CHECK(log.records()[1].iterations == 1);
  const std::vector<float> mean = {(15 + start[0]) / 3, (15 + start[1]) / 3};
  CHECK(log.records()[1].loss == about(task->loss(mean), 1e-6));
  for (const float x : {12.0F, 15.0F}) end(0, x);  // it has done its four
  end(2, 0);
  REQUIRE(log.records().size() == 3);
  CHECK(log.records()[2].loss == about(task->loss(std::vector<float>{7, 7}), 1e-12));
  CHECK(log.records()[2].consensus_distance == 76);  // (64 + 1 + 49) / 3 in each of two elements
  for (int i = 0; i < 3; ++i) end(1, 0);
  for (int i = 0; i < 3; ++i) end(2, 0);
  REQUIRE(log.records().size() == 5);
  CHECK(log.records()[4].iterations == 4);
}

TEST_CASE("a model that has diverged makes loss and distance no numbers, and nothing worse") {
  LearningLog log(task_of(2), 2, 1, 1);
  log.end_iteration(0, std::vector<float>{INFINITY, 0});
  log.end_iteration(1, std::vector<float>{1, 0});
  REQUIRE(log.records().size() == 2);
  CHECK(!std::isfinite(log.records()[1].loss));
  CHECK(!std::isfinite(log.records()[1].consensus_distance));
}

}  // namespace
}  // namespace starling
