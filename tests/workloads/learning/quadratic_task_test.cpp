#include "workloads/learning/quadratic_task.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/errors.hpp"
#include "task_checks.hpp"
#include "tests/rounding.hpp"
#include "tests/workloads/imbalance/sample.hpp"

namespace starling {
namespace {

TEST_CASE("the curvatures of a quadratic fall from 1 to 1 over the condition number in equal ratios") {
  const QuadraticTask task({.dimension = 5, .condition_number = 16});
  const std::vector<float> expected = {1, 0.5, 0.25, 0.125, 0.0625};
  for (std::size_t k = 0; k < 5; ++k) CHECK(task.curvatures()[k] == about(expected[k]));
  CHECK(QuadraticTask({.dimension = 1, .condition_number = 16}).curvatures() == std::vector<float>{1});
}

TEST_CASE("a quadratic's gradient is the slope of its loss") {
  const QuadraticTask task({.dimension = 20, .condition_number = 50});
  // Central differences of a quadratic are exact up to rounding: 10⁻⁷ · loss / step.
  check_against_differences(task, task.initial_parameters(), 0.125, 1e-5);
}

TEST_CASE("gradient descent shrinks each element of a quadratic by 1 − ηλ a step") {
  const QuadraticTask task({.dimension = 8, .condition_number = 100});
  const std::vector<float> start = task.initial_parameters();
  const std::vector<float> end = train_alone(task, {.learning_rate = 0.5}, 40);
  for (std::size_t k = 0; k < start.size(); ++k) {
    const double expected = start[k] * std::pow(1 - 0.5 * task.curvatures()[k], 40);
    CHECK(end[k] == about(expected, 1e-5));  // 40 roundings of 6·10⁻⁸, thrice each
  }
}

TEST_CASE("noisy gradients leave a quadratic with the stationary variance") {
  // Of 2,000 elements of curvature 1; 60 steps of factor 0.8 forget the start to 10⁻⁶.
  const QuadraticTask task({.dimension = 2000, .condition_number = 1, .gradient_noise = 3});
  const std::vector<float> end = train_alone(task, {.learning_rate = 0.2}, 60);
  const SampleMoments moments = moments_of(std::vector<double>(end.begin(), end.end()));
  CHECK(std::abs(moments.mean) < moments.mean_tolerance);
  CHECK(std::abs(moments.variance - 0.2 * 9 / (2 - 0.2)) < moments.variance_tolerance);
}

TEST_CASE("the workers' optima have mean 0 and the given spread") {
  const int workers = 16;
  const QuadraticTask task({.dimension = 1000, .heterogeneity = 2, .workers = workers});
  std::vector<double> first_worker;
  for (std::size_t k = 0; k < 1000; ++k) {
    double sum = 0;
    for (int worker = 0; worker < workers; ++worker) sum += task.optimum(worker)[k];
    CHECK(std::abs(sum) < 1e-5);  // 16 roundings of numbers of size 2 … 8
    first_worker.push_back(task.optimum(0)[k]);
  }
  const SampleMoments moments = moments_of(first_worker);
  // Centering takes one of 16 degrees of freedom.
  CHECK(std::abs(moments.variance - 4.0 * 15 / 16) < moments.variance_tolerance);
}

TEST_CASE("a worker's gradient vanishes at its own optimum, and the workers' mean is the loss's gradient") {
  const QuadraticTask task({.dimension = 4, .heterogeneity = 1, .workers = 3});
  const std::span<const float> optimum = task.optimum(1);
  for (const float element : gradient_of(task, 1, 5, {optimum.begin(), optimum.end()})) CHECK(element == 0);
  const std::vector<float> start = task.initial_parameters();
  for (std::size_t k = 0; k < 4; ++k) {
    float mean = 0;
    for (int worker = 0; worker < 3; ++worker) mean += gradient_of(task, worker, 0, start)[k] / 3;
    // Single-precision roundings of numbers that cancel.
    CHECK(mean == about(task.curvatures()[k] * start[k], 1e-4));
  }
}

TEST_CASE("a quadratic's noise follows from seed, worker and iteration alone") {
  const QuadraticOptions options = {.dimension = 10, .gradient_noise = 1, .workers = 4, .seed = 7};
  const QuadraticTask task(options);
  const QuadraticTask again(options);
  const std::vector<float> start = task.initial_parameters();
  CHECK(start == again.initial_parameters());
  const std::vector<float> late = gradient_of(task, 3, 90, start);
  CHECK(gradient_of(again, 3, 90, start) == late);
  CHECK(gradient_of(task, 2, 90, start) != late);
  CHECK(gradient_of(task, 3, 91, start) != late);
  QuadraticOptions other = options;
  other.seed = 8;
  CHECK(gradient_of(QuadraticTask(other), 3, 90, start) != late);
}

TEST_CASE("a quadratic rejects options out of range and workers it does not have") {
  CHECK_THROWS_WITH_AS(QuadraticTask({.dimension = 0}),
                       "quadratic: dimension is 0; it must be from 1 to 16777216", std::invalid_argument);
  CHECK_THROWS_WITH_AS(QuadraticTask({.condition_number = 0.5}),
                       "quadratic: condition_number is 0.5; it must be from 1 to 1000000000000",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(QuadraticTask({.gradient_noise = -1}),
                       "quadratic: gradient_noise is -1; it must be from 0 to 1000000",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(QuadraticTask({.heterogeneity = std::numeric_limits<double>::quiet_NaN()}),
                       "quadratic: heterogeneity is nan; it must be from 0 to 1000000",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(QuadraticTask({.workers = 0}), "quadratic: workers must be at least 1, got 0",
                       std::invalid_argument);
  CHECK_THROWS_AS(QuadraticTask({.workers = 2}).optimum(2), InvariantError);
}

}  // namespace
}  // namespace starling
