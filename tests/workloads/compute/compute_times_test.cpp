#include "workloads/compute/compute_times.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/rounding.hpp"
#include "tests/workloads/small_workload.hpp"

namespace starling {
namespace {

Gpu round_gpu() {
  Gpu gpu;
  gpu.name = "round";
  gpu.fp32_flops_per_s = 1000;
  gpu.fp16_flops_per_s = 8000;
  gpu.memory_bytes_per_s = 100;
  return gpu;
}

RooflineTimes round_roofline() {
  return {.gpu = round_gpu(), .precision = Precision::fp32, .achieved_fraction = 0.5, .backward_ratio = 2};
}

void check_rejected(const ComputeTimes& times, const char* message) {
  Workload workload = small_workload();
  CHECK_THROWS_WITH_AS(set_compute_times(workload, times), message, std::invalid_argument);
}

TEST_CASE("measured compute times of layers are used unchanged") {
  Workload workload = small_workload();
  set_compute_times(workload, MeasuredTimes{{1, 2, 3}, {4, 5, 6}});
  CHECK(workload.forward_s == std::vector<double>{1, 2, 3});
  CHECK(workload.backward_s == std::vector<double>{4, 5, 6});
  CHECK(workload.compute_source == "measured for every layer");
  set_compute_times(workload, MeasuredTimes{{1, 2, 3}, {4, 5, 6}, 1.5});
  CHECK(workload.forward_s == std::vector<double>{1.5, 3, 4.5});
  CHECK(workload.backward_s == std::vector<double>{6, 7.5, 9});
  CHECK(workload.compute_source == "measured for every layer, multiplied by 1.5");
}

TEST_CASE("total compute times are split by floating-point work, and layers without work take none") {
  Workload workload = small_workload();
  set_compute_times(workload, TotalTimes{10, 20});
  CHECK(workload.forward_s == std::vector<double>{6, 4, 0});
  CHECK(workload.backward_s == std::vector<double>{12, 8, 0});
}

TEST_CASE("total compute times are split evenly if no layer has work") {
  Workload workload = small_workload();
  for (Layer& layer : workload.model.layers) layer.forward_flops_per_sample = 0;
  set_compute_times(workload, TotalTimes{3, 6});
  CHECK(workload.compute_source.ends_with("split evenly, as no layer of the model has operations"));
  CHECK_THROWS_AS(set_compute_times(workload, round_roofline()), std::invalid_argument);
  CHECK(workload.forward_s == std::vector<double>{1, 1, 1});
  CHECK(workload.backward_s == std::vector<double>{2, 2, 2});
}

TEST_CASE("split compute times keep their sum and the proportions of the work") {
  CHECK(rc::check([](const std::vector<std::uint32_t>& work, std::uint32_t milliseconds) {
    RC_PRE(!work.empty());
    Workload workload = small_workload();
    workload.model.tensors.clear();
    workload.model.layers.clear();
    for (const std::uint32_t flops : work)
      workload.model.layers.push_back({"layer", "Linear", 0, 0, double(flops)});
    const double total_s = milliseconds * 1e-3;
    set_compute_times(workload, TotalTimes{total_s, 2 * total_s});
    // One rounding per share, product and addition.
    const double tolerance = 4e-16 * static_cast<double>(work.size() + 2) * total_s;
    RC_ASSERT(std::abs(workload.forward_total_s() - total_s) <= tolerance);
    RC_ASSERT(std::abs(workload.backward_total_s() - 2 * total_s) <= 2 * tolerance);
    for (std::size_t i = 1; i < work.size(); ++i) {
      if (work[i] <= work[i - 1]) RC_ASSERT(workload.forward_s[i] <= workload.forward_s[i - 1]);
      if (work[i] >= work[i - 1]) RC_ASSERT(workload.forward_s[i] >= workload.forward_s[i - 1]);
    }
  }));
}

TEST_CASE("a layer of a roofline takes the longer of arithmetic and parameter traffic") {
  Workload workload = small_workload();
  set_compute_times(workload, round_roofline());
  // 2 samples at 1000 · 0.5 operations a second; parameters of 4 bytes at 100 bytes a second, twice in
  // backward.
  CHECK(workload.forward_s[0] == about(2.4));   // 600 · 2 / 500 against 12 · 4 / 100
  CHECK(workload.backward_s[0] == about(4.8));  // twice that against 0.96
  CHECK(workload.forward_s[1] == about(1.6));   // no parameters
  CHECK(workload.backward_s[1] == about(3.2));
  CHECK(workload.forward_s[2] == about(0.2));  // no arithmetic: 5 · 4 / 100
  CHECK(workload.backward_s[2] == about(0.4));
}

TEST_CASE("16-bit arithmetic has its own peak and moves half the bytes") {
  Workload workload = small_workload();
  RooflineTimes roofline = round_roofline();
  roofline.precision = Precision::fp16;
  roofline.backward_ratio = 3;
  set_compute_times(workload, roofline);
  CHECK(workload.forward_s[0] == about(0.3));   // 1200 / 4000 against 12 · 2 / 100 = 0.24
  CHECK(workload.backward_s[0] == about(0.9));  // 3 · 0.3 against 0.48
  CHECK(workload.forward_s[2] == about(0.1));
}

TEST_CASE("ResNet-50's arithmetic on a catalogd GPU is its work over its attained rate") {
  Workload workload = small_workload();
  workload.model.tensors.clear();
  workload.model.layers = {{"everything", "Sequence", 0, 0, 8222824448.0}};
  workload.batch_size = 64;
  set_compute_times(workload, RooflineTimes{*find_gpu("A100"), Precision::tf32, 0.25, 2});
  CHECK(workload.forward_total_s() == about(64 * 8.222824448e9 / 39e12));
  CHECK(workload.backward_total_s() == about(2 * workload.forward_total_s()));
}

TEST_CASE("compute times out of range are rejected") {
  check_rejected(MeasuredTimes{{1, 2}, {4, 5, 6}}, "there are 2 forward times for 3 layers");
  check_rejected(MeasuredTimes{{1, 2, 3}, {4, -5, 6}},
                 "the backward time of layer middle is -5 s; it must be finite and not negative");
  check_rejected(TotalTimes{-1, 1}, "the forward total is -1 s; it must be finite and not negative");
  check_rejected(TotalTimes{1, std::numeric_limits<double>::infinity()},
                 "the backward total is inf s; it must be finite and not negative");
}

TEST_CASE("a roofline needs an achieved fraction and a precision that the GPU has") {
  RooflineTimes roofline = round_roofline();
  roofline.achieved_fraction.reset();
  check_rejected(roofline, "the achieved fraction of the peak rate of round must be given");
  roofline.achieved_fraction = 0;
  check_rejected(roofline, "the achieved fraction is 0; it must be above 0 and at most 1");
  roofline.achieved_fraction = 1.5;
  check_rejected(roofline, "the achieved fraction is 1.5; it must be above 0 and at most 1");
  roofline = round_roofline();
  roofline.backward_ratio = -2;
  check_rejected(roofline, "the backward ratio is -2; it must be finite and not negative");
  roofline = round_roofline();
  roofline.precision = Precision::tf32;
  check_rejected(roofline, "round has no tf32 arithmetic");
}

double forward_at(int batch_size, const std::vector<BatchTimes>& batches) {
  Workload workload = small_workload();
  workload.batch_size = batch_size;
  set_compute_times(workload, MeasuredBatches{batches});
  return workload.forward_total_s();
}

TEST_CASE("between measured batch sizes, times lie on the line through the two nearest") {
  const std::vector<BatchTimes> batches = {{8, 10, 20}, {16, 12, 24}, {64, 36, 72}};
  CHECK(forward_at(8, batches) == about(10));
  CHECK(forward_at(12, batches) == about(11));
  CHECK(forward_at(16, batches) == about(12));
  CHECK(forward_at(40, batches) == about(24));
  CHECK(forward_at(128, batches) == about(68));  // 0.5 s a sample beyond 64
  // Below, what does not depend on the batch stays: 8 s here.
  CHECK(forward_at(4, batches) == about(9));
  CHECK(forward_at(1, batches) == about(8.25));
}

TEST_CASE(
    "below the measured batch sizes times shrink at most by the work, and above them they do not fall") {
  // The line would be below 0 at 1, and fall beyond 32. Three layers launch six kernels.
  CHECK(forward_at(1, {{10, 10, 0}, {20, 30, 0}}) == about(30e-6 + (10 - 30e-6) / 10));
  CHECK(forward_at(64, {{16, 10, 0}, {32, 9, 0}}) == about(9));
}

TEST_CASE("from a single batch size times of kernel launches stay, and the rest scales with the batch") {
  Workload workload = small_workload();
  const auto set_at = [&](int batch_size) {
    workload.batch_size = batch_size;
    set_compute_times(workload, MeasuredBatches{.batches = {{8, 100e-6, 400e-6}}, .launch_s = 10e-6});
  };
  // Two kernels forward and four backward for each of three layers: 60 and 120 us.
  set_at(8);
  CHECK(workload.forward_total_s() == about(100e-6));
  CHECK(workload.backward_total_s() == about(400e-6));
  set_at(1);
  CHECK(workload.forward_total_s() == about(60e-6 + 40e-6 / 8));
  CHECK(workload.backward_total_s() == about(120e-6 + 280e-6 / 8));
  set_at(16);
  CHECK(workload.forward_total_s() == about(60e-6 + 40e-6 * 2));
  CHECK(workload.backward_total_s() == about(120e-6 + 280e-6 * 2));
}

TEST_CASE("kernel launches take no more than the measured time, and none where theirs is given as 0") {
  CHECK(forward_at(4, {{8, 20e-6, 0}}) == about(20e-6));
  Workload workload = small_workload();
  workload.batch_size = 4;
  set_compute_times(workload, MeasuredBatches{.batches = {{8, 20e-6, 40e-6}}, .launch_s = 0});
  CHECK(workload.forward_total_s() == about(10e-6));
}

TEST_CASE("measured times that are mostly kernel launches predict larger batches only roughly") {
  Workload workload = small_workload();
  const double launches_s = kernel_launches(workload.model).forward * 1e-3;
  const auto warning = [&](int batch_size, double forward_s) {
    Workload asked = small_workload();
    asked.batch_size = batch_size;
    set_compute_times(asked, MeasuredBatches{{{8, forward_s, 2 * forward_s}}, 1e-3});
    return asked.compute_warning;
  };
  CHECK(warning(16, launches_s / 2).find("so the time at batch size 16 is very uncertain") !=
        std::string::npos);
  CHECK(warning(16, launches_s / 2).starts_with("kernel launches would take 6 ms of the 3 ms measured"));
  CHECK_FALSE(warning(16, 1.9 * launches_s).empty());
  CHECK(warning(16, 2.1 * launches_s).empty());
  CHECK(warning(8, launches_s / 2).empty());
  CHECK(warning(4, launches_s / 2).empty());
}

TEST_CASE("times of one batch size predict less than half of it only roughly") {
  const auto warning = [](int batch_size, double launch_s) {
    Workload asked = small_workload();
    asked.batch_size = batch_size;
    set_compute_times(asked, MeasuredBatches{{{8, 1, 2}}, launch_s});
    return asked.compute_warning;
  };
  const std::string start = "batch size 3 is less than half of 8, the only one with measured times: ";
  CHECK(warning(3, 5e-6).starts_with(start + "the time without kernel launches is taken as proportional"));
  CHECK(warning(3, 0).starts_with(start + "the whole time is taken as proportional"));
  CHECK(warning(4, 5e-6).empty());
  CHECK(warning(4, 0).empty());
}

TEST_CASE("a throughput of a single worker gives a third of the time to the forward pass") {
  Workload workload = small_workload();
  workload.batch_size = 64;
  set_compute_times(workload, Throughput{.samples_per_s = 320});
  CHECK(workload.forward_total_s() == about(0.2 / 3));
  CHECK(workload.backward_total_s() == about(0.4 / 3));
  CHECK(
      workload.compute_source.starts_with("320 samples/s of one worker without communication, at any batch "
                                          "size; forward pass a third of the time, split"));
  for (const double rate : {0.0, -1.0, std::numeric_limits<double>::infinity()})
    CHECK_THROWS_AS(set_compute_times(workload, Throughput{.samples_per_s = rate}), std::invalid_argument);
}

TEST_CASE("a workload names the law by which its compute times follow") {
  const auto law_at = [](int batch_size) {
    Workload workload = small_workload();
    workload.batch_size = batch_size;
    set_compute_times(workload, MeasuredBatches{{{8, 10, 20}, {16, 12, 24}}});
    return workload.compute_source;
  };
  const auto law_from_one_at = [](int batch_size, double launch_s) {
    Workload workload = small_workload();
    workload.batch_size = batch_size;
    set_compute_times(workload, MeasuredBatches{{{8, 10, 20}}, launch_s});
    return workload.compute_source;
  };
  const std::string split = ", split over the layers by their operations";
  CHECK(law_at(8) == "measured at batch size 8" + split);
  CHECK(law_at(12) == "interpolated between batch sizes 8 and 16" + split);
  CHECK(law_at(32) == "extrapolated from batch sizes 8 and 16, but at least the time measured at 16" + split);
  CHECK(law_at(4) ==
        "extrapolated from batch sizes 8 and 16, but at least the time scaled from 8 alone" + split);
  CHECK(law_from_one_at(8, 5e-6) == "measured at batch size 8" + split);
  CHECK(law_from_one_at(4, 5e-6) ==
        "scaled from batch size 8: kernel launches take constant time, the rest is proportional to the batch "
        "size" +
            split);
  CHECK(law_from_one_at(4, 0) == "scaled from batch size 8: proportional to the batch size" + split);
  Workload workload = small_workload();
  set_compute_times(workload, RooflineTimes{*find_gpu("A100"), Precision::tf32, 0.25, 2});
  CHECK(workload.compute_source == "roofline of A100, 0.25 of its tf32 peak");
}

TEST_CASE("batch sizes must be one at least, and increase") {
  check_rejected(MeasuredBatches{}, "there are no times; those of at least one batch size are needed");
  check_rejected(MeasuredBatches{.batches = {{8, 1, 1}}, .launch_s = -1},
                 "the launch of a kernel takes -1 s; it must be finite and not negative");
  check_rejected(MeasuredBatches{{{8, 1, 1}, {8, 2, 2}}}, "batch size 8 comes after 8; they must increase");
  check_rejected(MeasuredBatches{{{0, 1, 1}, {8, 2, 2}}}, "batch size 0 comes after 0; they must increase");
  check_rejected(MeasuredBatches{{{4, -1, 1}, {8, 2, 2}}},
                 "the forward total is -1 s; it must be finite and not negative");
}

}  // namespace
}  // namespace starling
