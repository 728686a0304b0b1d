#include "workloads/learning/optimizer.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/rounding.hpp"
#include "tests/workloads/small_workload.hpp"
#include "workloads/learning/replica.hpp"

namespace starling {
namespace {

/// The values of a parameter after each step from `start` with these gradients.
std::vector<double> path(const OptimizerOptions& options, double start, const std::vector<double>& gradients,
                         double scale = 1) {
  const auto optimizer = make_optimizer(options, 1);
  std::vector<float> parameter = {static_cast<float>(start)};
  std::vector<double> values;
  for (std::size_t step = 0; step < gradients.size(); ++step) {
    const std::vector<float> gradient = {static_cast<float>(gradients[step])};
    optimizer->step(0, parameter, gradient, scale, static_cast<std::int64_t>(step) + 1);
    values.push_back(parameter[0]);
  }
  return values;
}

// A handful of float operations of rounding error 6·10⁻⁸ each.
doctest::Approx near(double value) { return about(value, 1e-6); }

void check_path(const std::vector<double>& values, const std::vector<double>& expected) {
  REQUIRE(values.size() == expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) CHECK(values[i] == near(expected[i]));
}

/// AccumAdam in double, as documented; a window of 1 is Adam.
std::vector<double> accum_adam_by_formula(const OptimizerOptions& options, double x,
                                          const std::vector<double>& gradients) {
  double m = 0;
  double v = 0;
  double sum = 0;
  std::vector<double> values;
  for (std::size_t step = 1; step <= gradients.size(); ++step) {
    const double g = gradients[step - 1];
    const double k = std::ceil(static_cast<double>(step) / options.accumulation);
    const double m_now = options.beta1 * m + (1 - options.beta1) * g;
    const double v_now = options.beta2 * v + (1 - options.beta2) * g * g;
    const double m_hat = m_now / (1 - std::pow(options.beta1, k));
    const double v_hat = v_now / (1 - std::pow(options.beta2, k));
    x -= options.learning_rate * m_hat / (std::sqrt(v_hat) + options.epsilon);
    values.push_back(x);
    sum += g;
    if (step % static_cast<std::size_t>(options.accumulation) == 0) {
      const double mean = sum / options.accumulation;
      m = options.beta1 * m + (1 - options.beta1) * mean;
      v = options.beta2 * v + (1 - options.beta2) * mean * mean;
      sum = 0;
    }
  }
  return values;
}

TEST_CASE("plain SGD moves against the scaled gradient") {
  check_path(path({.learning_rate = 0.5}, 1, {2, -4}, 0.25), {0.75, 1.25});
}

TEST_CASE("momentum starts with the first gradient and then accumulates") {
  // b = 1, 0.9 + 2 = 2.9, 2.61 − 1 = 1.61.
  check_path(path({.learning_rate = 0.1, .momentum = 0.9}, 1, {1, 2, -1}), {0.9, 0.61, 0.449});
}

TEST_CASE("Nesterov momentum looks one step ahead") {
  // g + 0.9 b: 1.9, 2 + 2.61 = 4.61.
  check_path(path({.learning_rate = 0.1, .momentum = 0.9, .nesterov = true}, 1, {1, 2}), {0.81, 0.349});
}

TEST_CASE("the weight decay of SGD is part of the gradient, and is not scaled with it") {
  // g = 0.5·2 + 0.1·10 = 2, then 0.5·0 + 0.1·9 = 0.9.
  check_path(path({.learning_rate = 0.5, .weight_decay = 0.1}, 10, {2, 0}, 0.5), {9, 8.55});
  // With momentum 0.5: b = 2, then 1 + 0.9 = 1.9.
  check_path(path({.learning_rate = 0.5, .momentum = 0.5, .weight_decay = 0.1}, 10, {2, 0}, 0.5), {9, 8.05});
}

TEST_CASE("the first step of Adam is the learning rate against the gradient's sign") {
  const OptimizerOptions options = {.kind = OptimizerKind::adam, .learning_rate = 0.25};
  check_path(path(options, 1, {7}), {0.75});
  check_path(path(options, 1, {-0.001}), {1.25 - 0.25e-5});  // ε = 10⁻⁸ takes 10⁻⁵ of it
  check_path(path(options, 1, {0}), {1});
}

TEST_CASE("Adam follows its formulas by hand") {
  // β = ½: m = ½, ¼ + 1 = 1.25; v = ½, ¼ + 2 = 2.25; m̂ = 1, 5/3; v̂ = 1, 3.
  const OptimizerOptions options = {
      .kind = OptimizerKind::adam, .learning_rate = 0.1, .beta1 = 0.5, .beta2 = 0.5, .epsilon = 1e-12};
  check_path(path(options, 1, {1, 2}), {0.9, 0.9 - 0.1 * (5.0 / 3.0) / std::sqrt(3.0)});
}

TEST_CASE("Adam adds weight decay to the gradient, AdamW takes it off the parameter") {
  const std::vector<double> no_gradient = {0};
  OptimizerOptions options = {.kind = OptimizerKind::adam, .learning_rate = 0.1, .weight_decay = 0.5};
  check_path(path(options, 2, no_gradient), {1.9});
  options.kind = OptimizerKind::adamw;
  check_path(path(options, 2, no_gradient), {2 * (1 - 0.1 * 0.5)});
  check_path(path(options, 2, {3}), {2 * (1 - 0.1 * 0.5) - 0.1});
}

TEST_CASE("Adam stays where there is no gradient, with the least epsilon, too") {
  const OptimizerOptions options = {.kind = OptimizerKind::adam, .learning_rate = 0.1, .epsilon = 1e-38};
  check_path(path(options, 2, {0, 0}), {2, 2});
}

TEST_CASE("Adam and AccumAdam follow their formulas over 30 steps") {
  std::vector<double> gradients;
  for (int step = 0; step < 30; ++step) gradients.push_back(std::sin(step * 1.7) + 0.25);
  for (const int accumulation : {1, 2, 4, 7}) {
    OptimizerOptions options = {.kind = OptimizerKind::accum_adam, .learning_rate = 0.1};
    options.accumulation = accumulation;
    const std::vector<double> expected = accum_adam_by_formula(options, 1, gradients);
    const std::vector<double> values = path(options, 1, gradients);
    // 30 steps of at most 0.1, each right to some 10⁻⁶ of itself.
    for (std::size_t i = 0; i < values.size(); ++i) CHECK(std::abs(values[i] - expected[i]) < 3e-6);
  }
}

TEST_CASE("AccumAdam's moments do not change within a window") {
  // β = ½, windows of 2. Step 1: m̃ = ½, k = 1: −0.1. Step 2 has m = v = 0 still: m̂ = 3, v̂ = 9: −0.1.
  // Then m = ½·2 = 1, v = ½·4 = 2. Step 3, g = 0: m̃ = ½, ṽ = 1, k = 2: m̂ = ⅔, v̂ = 4/3: −0.1·⅔/√(4/3).
  const OptimizerOptions options = {.kind = OptimizerKind::accum_adam,
                                    .learning_rate = 0.1,
                                    .beta1 = 0.5,
                                    .beta2 = 0.5,
                                    .epsilon = 1e-12,
                                    .accumulation = 2};
  const double last = 0.8 - 0.1 * (2.0 / 3.0) / std::sqrt(4.0 / 3.0);
  check_path(path(options, 1, {1, 3, 0}), {0.9, 0.8, last});
}

TEST_CASE("AccumAdam with windows of one step is Adam, to the bit") {
  CHECK(rc::check([](const std::vector<double>& gradients) {
    const OptimizerOptions adam = {.kind = OptimizerKind::adam, .learning_rate = 0.01, .weight_decay = 0.1};
    OptimizerOptions accumulating = adam;
    accumulating.kind = OptimizerKind::accum_adam;
    RC_ASSERT(path(adam, 1, gradients) == path(accumulating, 1, gradients));
  }));
}

TEST_CASE("a replica updates tensor by tensor as at once, with every optimizer, to the bit") {
  for (const OptimizerOptions& options :
       {OptimizerOptions{.kind = OptimizerKind::sgd, .momentum = 0.9, .weight_decay = 0.01},
        OptimizerOptions{.kind = OptimizerKind::adamw, .weight_decay = 0.01},
        OptimizerOptions{.kind = OptimizerKind::accum_adam, .accumulation = 2}}) {
    CAPTURE(name_of(options.kind));
    Replica at_once(small_workload(), std::vector<float>(17, 1.0F), options);
    Replica one_by_one(small_workload(), std::vector<float>(17, 1.0F), options);
    for (int step = 0; step < 5; ++step) {
      for (std::size_t i = 0; i < 17; ++i) {
        at_once.gradients().data()[i] = one_by_one.gradients().data()[i] =
            std::sin(static_cast<float>(i * 5) + static_cast<float>(step));
      }
      at_once.update(at_once.all(), 0.5);
      for (int tensor = 2; tensor >= 0; --tensor) one_by_one.update({tensor, 1}, 0.5);
    }
    CHECK(std::ranges::equal(at_once.parameters().data(), one_by_one.parameters().data()));
    CHECK(at_once.parameters().data()[3] != 1.0F);
  }
}

TEST_CASE("an optimizer counts the steps of each tensor by itself") {
  const OptimizerOptions options = {.kind = OptimizerKind::adam, .learning_rate = 0.5};
  Replica replica(small_workload(), std::vector<float>(17), options);
  for (float& gradient : replica.gradients().data()) gradient = 1;
  for (int step = 0; step < 10; ++step) replica.update({0, 1});
  replica.update({1, 1});
  CHECK(replica.parameters().data()[10] == near(-0.5));  // the first step of this tensor
  CHECK(replica.parameters().data()[12] == 0);
}

TEST_CASE("options out of range are rejected, with the value and the range") {
  const auto message_of = [](const OptimizerOptions& options) -> std::string {
    try {
      make_optimizer(options, 1);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  CHECK(message_of({.learning_rate = std::numeric_limits<double>::infinity()}) ==
        "the learning rate is inf; it must be finite");
  CHECK(message_of({.momentum = 1}) ==
        "optimizer: sgd: momentum is 1; it must be at least 0 and less than 1");
  CHECK(message_of({.weight_decay = -1}) ==
        "optimizer: sgd: weight_decay is -1; it must be from 0 to 1000000");
  CHECK(message_of({.kind = OptimizerKind::adam, .beta1 = -0.5}) ==
        "optimizer: adam: beta1 is -0.5; it must be at least 0 and less than 1");
  CHECK(message_of({.kind = OptimizerKind::adam, .beta2 = 1}) ==
        "optimizer: adam: beta2 is 1; it must be at least 0 and less than 1");
  CHECK(message_of({.kind = OptimizerKind::adam, .epsilon = 0}) ==
        "optimizer: adam: epsilon is 0; it must be from 1e-38 to 1");
  CHECK(message_of({.kind = OptimizerKind::adam, .epsilon = 1e-50}) ==
        "optimizer: adam: epsilon is 1e-50; it must be from 1e-38 to 1");
  CHECK(message_of({.kind = OptimizerKind::accum_adam, .accumulation = 0}) ==
        "optimizer: accum_adam: accumulation is 0; it must be from 1 to 2147483647");
  CHECK(message_of({.kind = OptimizerKind::adamw, .momentum = 0.9}) ==
        "momentum belongs to sgd; adamw has beta1");
  CHECK(message_of({.nesterov = true}) == "optimizer: sgd: nesterov needs a momentum above 0");
  CHECK(message_of({.kind = OptimizerKind::adam, .accumulation = 2}) ==
        "accumulation belongs to accum_adam, not to adam");
}

}  // namespace
}  // namespace starling
