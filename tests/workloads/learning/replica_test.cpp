#include "workloads/learning/replica.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "tests/workloads/small_workload.hpp"

namespace starling {
namespace {

std::vector<float> counting(std::int64_t elements) {
  std::vector<float> values(static_cast<std::size_t>(elements));
  std::iota(values.begin(), values.end(), 0.0F);
  return values;
}

TEST_CASE("tensors of a replica lie one behind the other in forward order") {
  const Replica replica(small_workload());
  CHECK(replica.tensors() == 3);
  CHECK(replica.elements() == 17);
  CHECK(replica.offset(0) == 0);
  CHECK(replica.offset(1) == 10);
  CHECK(replica.offset(2) == 12);
  CHECK(replica.offset(3) == 17);
  CHECK(replica.elements({1, 2}) == 7);
  CHECK(replica.elements({3, 0}) == 0);
}

TEST_CASE("a sized replica has counts and bytes but no data") {
  Workload workload = small_workload();
  workload.bytes_per_element = 2;
  Replica replica(workload);
  CHECK_FALSE(replica.is_real());
  CHECK_FALSE(replica.gradients().is_real());
  CHECK(replica.gradients().count() == 17);
  CHECK(replica.parameters({0, 1}).bytes() == 20);
  replica.compute_gradients(0);
  replica.update(replica.all());
}

TEST_CASE(
    "another sized replica has the same sizes, also when the first is gone; a real one has data to copy") {
  Workload workload = small_workload();
  workload.bytes_per_element = 2;
  auto first = std::make_unique<Replica>(workload);
  Replica other = first->another();
  first.reset();
  CHECK(other.elements() == 17);
  CHECK(other.parameters({0, 1}).bytes() == 20);
  CHECK_THROWS_AS(Replica(workload, counting(17), {.learning_rate = 0.1}).another(), InvariantError);
}

TEST_CASE("a real replica's slices are its tensors, with modeled bytes") {
  Workload workload = small_workload();
  workload.bytes_per_element = 100;
  Replica replica(workload, counting(17), {.learning_rate = 0.1});
  const Buffer last_two = replica.parameters({1, 2});
  REQUIRE(last_two.is_real());
  CHECK(last_two.count() == 7);
  CHECK(last_two.bytes() == 700);
  CHECK(last_two.data()[0] == 10);
  CHECK(last_two.data()[6] == 16);
  CHECK(replica.gradients().data()[5] == 0);
}

TEST_CASE("gradients come from the task, at the current parameters") {
  const GradientTask task = [](std::int64_t iteration, std::span<const float> parameters,
                               std::span<float> gradients) {
    for (std::size_t i = 0; i < gradients.size(); ++i)
      gradients[i] = parameters[i] + static_cast<float>(iteration);
  };
  Replica replica(small_workload(), counting(17), {.learning_rate = 0.5}, task);
  replica.compute_gradients(100);
  CHECK(replica.gradients().data()[3] == 103);
  replica.update(replica.all());
  replica.compute_gradients(0);
  CHECK(replica.gradients().data()[3] == 3 - 0.5F * 103);
}

TEST_CASE("an update changes only the given tensors, by learning rate, scale and gradient") {
  Replica replica(small_workload(), counting(17), {.learning_rate = 0.5});
  for (float& gradient : replica.gradients().data()) gradient = 8;
  replica.update({1, 1}, 0.25);
  const std::span<float> parameters = replica.parameters().data();
  CHECK(parameters[9] == 9);
  CHECK(parameters[10] == 10 - 0.5F * 0.25F * 8);
  CHECK(parameters[11] == 11 - 0.5F * 0.25F * 8);
  CHECK(parameters[12] == 12);
}

TEST_CASE("updating tensor by tensor equals updating all at once, to the bit") {
  CHECK(rc::check([](std::vector<float> values, double learning_rate) {
    Workload workload = small_workload();
    const auto count = static_cast<std::int64_t>(values.size());
    workload.model.tensors = {{"a", count / 3}, {"b", count / 2 - count / 3}, {"c", count - count / 2}};
    Replica at_once(workload, values, {.learning_rate = learning_rate});
    Replica one_by_one(workload, values, {.learning_rate = learning_rate});
    for (std::size_t i = 0; i < values.size(); ++i) {
      at_once.gradients().data()[i] = one_by_one.gradients().data()[i] = static_cast<float>(i);
    }
    at_once.update(at_once.all());
    for (int tensor = 2; tensor >= 0; --tensor) one_by_one.update({tensor, 1});
    const std::span<float> expected = at_once.parameters().data();
    RC_ASSERT(std::ranges::equal(expected, one_by_one.parameters().data()));
  }));
}

TEST_CASE("a replica that was moved still computes and updates") {
  Replica first(small_workload(), counting(17), {.learning_rate = 0.5});
  Replica second = std::move(first);
  CHECK(second.parameters().data()[16] == 16);
}

TEST_CASE("a replica rejects parameters and tensors that do not fit its model") {
  CHECK_THROWS_WITH_AS(Replica(small_workload(), counting(16), {.learning_rate = 0.1}),
                       "there are 16 initial parameters for a model of 17", std::invalid_argument);
  CHECK_THROWS_WITH_AS(
      Replica(small_workload(), counting(17), {.learning_rate = std::numeric_limits<double>::quiet_NaN()}),
      "the learning rate is nan; it must be finite", std::invalid_argument);
  Replica replica(small_workload());
  CHECK_THROWS_AS(replica.gradients({2, 2}), InvariantError);
  CHECK_THROWS_AS(replica.gradients({-1, 1}), InvariantError);
  CHECK_THROWS_AS(replica.elements({1, -1}), InvariantError);
}

}  // namespace
}  // namespace starling
