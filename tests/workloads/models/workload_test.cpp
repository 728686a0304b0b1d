#include "workloads/models/workload.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <limits>
#include <stdexcept>

#include "tests/workloads/small_workload.hpp"

namespace starling {
namespace {

Workload timed_workload() {
  Workload workload = small_workload();
  workload.forward_s = {0.5, 0.25, 0.125};
  workload.backward_s = {1.0, 0.5, 0.25};
  return workload;
}

void check_rejected(const std::function<void(Workload&)>& spoil, const char* message) {
  Workload workload = timed_workload();
  spoil(workload);
  CHECK_THROWS_WITH_AS(workload.validate(), message, std::invalid_argument);
}

TEST_CASE("totals of a workload are the sums over its layers and tensors") {
  Workload workload = timed_workload();
  CHECK(workload.parameters() == 17);
  CHECK(workload.forward_total_s() == 0.875);
  CHECK(workload.backward_total_s() == 1.75);
  CHECK(workload.compute_total_s() == 2.625);
  CHECK(workload.before_last_backward_s() == 0.875);
  CHECK(workload.samples_per_iteration() == workload.batch_size);
  workload.accumulation_steps = 3;
  CHECK(workload.compute_total_s() == 3 * 2.625);
  CHECK(workload.before_last_backward_s() == 2 * 2.625 + 0.875);
  CHECK(workload.samples_per_iteration() == 3 * workload.batch_size);
}

TEST_CASE("an update takes the optimizer's time for the bytes it updates") {
  Workload workload = timed_workload();
  CHECK(workload.update_s(1000) == 0);
  workload.optimizer_s_per_byte = 0.5;
  CHECK(workload.update_s(1000) == 2000);
  workload.bytes_per_element = 2;  // gradients are sent shorter, parameters stay what they are
  CHECK(workload.update_s(1000) == 2000);
  workload.bytes_per_parameter = 2;
  CHECK(workload.update_s(1000) == 1000);
}

TEST_CASE("a valid workload passes, even if it takes no time") {
  CHECK_NOTHROW(timed_workload().validate());
  Workload workload = timed_workload();
  workload.forward_s = workload.backward_s = {0, 0, 0};
  CHECK_NOTHROW(workload.validate());
}

TEST_CASE("a model whose layers do not hold its tensors in order is rejected") {
  check_rejected([](Workload& w) { w.model.layers.clear(); }, "model small has no layers");
  check_rejected([](Workload& w) { w.model.tensors[1].elements = -2; }, "tensor first.bias has -2 elements");
  check_rejected([](Workload& w) { w.model.layers[2].first_tensor = 1; },
                 "layer last begins with tensor 1, but the next tensor of the model is 2");
  check_rejected([](Workload& w) { w.model.layers[1].tensors = -1; }, "layer middle has -1 tensors");
  check_rejected([](Workload& w) { w.model.layers[2].tensors = 0; },
                 "the layers of model small hold 2 of its 3 tensors");
  check_rejected(
      [](Workload& w) { w.model.layers[0].forward_flops_per_sample = -1; },
      "layer first has -1 floating-point operations per sample; it needs a finite number, 0 or more");
}

TEST_CASE("times and sizes out of range are rejected") {
  check_rejected([](Workload& w) { w.batch_size = 0; }, "the batch size is 0; it must be at least 1");
  check_rejected([](Workload& w) { w.accumulation_steps = 0; },
                 "accumulation_steps is 0; it must be at least 1");
  check_rejected([](Workload& w) { w.bytes_per_element = 0; },
                 "an element has 0 bytes; it must be a finite number above 0");
  check_rejected([](Workload& w) { w.optimizer_s_per_byte = -1; },
                 "the optimizer takes -1 s per byte; it must be finite and not negative");
  check_rejected([](Workload& w) { w.forward_s.pop_back(); }, "there are 2 forward times for 3 layers");
  check_rejected([](Workload& w) { w.backward_s.push_back(0); }, "there are 4 backward times for 3 layers");
  check_rejected([](Workload& w) { w.forward_s[1] = -0.5; },
                 "the forward time of layer middle is -0.5 s; it must be finite and not negative");
  check_rejected([](Workload& w) { w.backward_s[2] = std::numeric_limits<double>::infinity(); },
                 "the backward time of layer last is inf s; it must be finite and not negative");
  check_rejected([](Workload& w) { w.backward_s[0] = std::numeric_limits<double>::quiet_NaN(); },
                 "the backward time of layer first is nan s; it must be finite and not negative");
}

}  // namespace
}  // namespace starling
