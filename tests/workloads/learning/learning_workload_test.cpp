#include "workloads/learning/learning_workload.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

#include "task_checks.hpp"
#include "tests/rounding.hpp"
#include "tests/workloads/small_workload.hpp"
#include "workloads/learning/quadratic_task.hpp"

namespace starling {
namespace {

Workload workload_of(const std::vector<std::int64_t>& elements) {
  Workload workload = small_workload();
  workload.model.tensors.clear();
  for (const std::int64_t count : elements) workload.model.tensors.push_back({"tensor", count});
  return workload;
}

TEST_CASE("a task's parameters are shared out as the model's, and stand for its bytes") {
  // Boundaries 10, 12, 17 of 17 in the model; 20, 24, 34 of 34 and 5.9, 7.1, 10 of 10 in the task.
  const auto elements_for = [](std::int64_t parameters) {
    std::vector<std::int64_t> elements;
    for (const Tensor& tensor : learning_workload(small_workload(), parameters).model.tensors)
      elements.push_back(tensor.elements);
    return elements;
  };
  CHECK(elements_for(17) == std::vector<std::int64_t>{10, 2, 5});
  CHECK(elements_for(34) == std::vector<std::int64_t>{20, 4, 10});
  CHECK(elements_for(10) == std::vector<std::int64_t>{6, 1, 3});
  CHECK(elements_for(2) == std::vector<std::int64_t>{1, 0, 1});
  CHECK(learning_workload(small_workload(), 34).bytes_per_element == 2);
}

TEST_CASE("every run of tensors keeps its bytes to within an element, and all of them together exactly") {
  CHECK(rc::check([] {
    const auto elements = *rc::gen::nonEmpty(
        rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, 3'000'000)));
    const Workload workload = workload_of(elements);
    RC_PRE(workload.parameters() > 0);
    const auto parameters = *rc::gen::inRange<std::int64_t>(1, 10'000);
    const Workload learning = learning_workload(workload, parameters);
    RC_ASSERT(learning.parameters() == parameters);
    Replica modeled(workload);
    Replica replica(learning);
    const double all = modeled.parameters().bytes();
    RC_ASSERT(std::abs(replica.parameters().bytes() - all) <= 1e-12 * all);  // rounding of a quotient
    for (int first = 0; first < replica.tensors(); ++first) {
      for (int count = 0; count <= replica.tensors() - first; ++count) {
        const double error =
            replica.parameters({first, count}).bytes() - modeled.parameters({first, count}).bytes();
        RC_ASSERT(std::abs(error) <= learning.bytes_per_element * (1 + 1e-9));
        RC_ASSERT(replica.elements({first, count}) >= 0);
      }
    }
  }));
}

TEST_CASE("a learning workload takes as long as the one that it stands for") {
  Workload workload = small_workload();
  workload.optimizer_s_per_byte = 1e-3;
  workload.forward_s = {1, 2, 3};
  workload.backward_s = {4, 5, 6};
  const Workload learning = learning_workload(workload, 5);
  CHECK(learning.compute_total_s() == 21);
  CHECK(learning.batch_size == workload.batch_size);
  CHECK(learning.update_s(5) == about(workload.update_s(17)));
  learning.validate();
}

TEST_CASE("a learning replica trains its worker's share of the task") {
  const auto task = std::make_shared<const QuadraticTask>(
      QuadraticOptions{.dimension = 34, .gradient_noise = 1, .heterogeneity = 1, .workers = 2});
  const Workload workload = learning_workload(small_workload(), task->parameters());
  const OptimizerOptions options = {.learning_rate = 0.1, .momentum = 0.9};
  Replica replica = learning_replica(workload, task, 0, options);
  CHECK(replica.is_real());
  CHECK(std::ranges::equal(replica.parameters().data(), task->initial_parameters()));
  for (int iteration = 0; iteration < 10; ++iteration) {
    replica.compute_gradients(iteration);
    replica.update(replica.all());
  }
  CHECK(std::ranges::equal(replica.parameters().data(), train_alone(*task, options, 10)));

  Replica other = learning_replica(workload, task, 1, options);
  other.compute_gradients(0);
  CHECK(std::ranges::equal(other.gradients().data(), gradient_of(*task, 1, 0, task->initial_parameters())));
}

TEST_CASE("a task and a model without parameters do not go together") {
  CHECK_THROWS_WITH_AS(learning_workload(small_workload(), 0),
                       "a task of 0 parameters cannot stand for a model of 17; both need at least 1",
                       std::invalid_argument);
  CHECK_THROWS_AS(learning_workload(workload_of({0, 0}), 5), std::invalid_argument);
  const auto task = std::make_shared<const QuadraticTask>(QuadraticOptions{.dimension = 34});
  CHECK_THROWS_WITH_AS(learning_replica(small_workload(), task, 0, {}),
                       "there are 34 initial parameters for a model of 17", std::invalid_argument);
}

}  // namespace
}  // namespace starling
