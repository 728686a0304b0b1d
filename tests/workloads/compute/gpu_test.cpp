#include "workloads/compute/gpu.hpp"

#include <doctest/doctest.h>

#include "tests/rounding.hpp"

namespace starling {
namespace {

TEST_CASE("the catalog holds the named GPUs, each with a source") {
  for (const char* name : {"P100", "V100", "T4", "A40", "A100", "H100", "H200", "RTX 2080 Ti"}) {
    CAPTURE(name);
    const Gpu* gpu = find_gpu(name);
    REQUIRE(gpu != nullptr);
    CHECK(gpu->name == name);
    CHECK_FALSE(gpu->source.empty());
    CHECK_FALSE(gpu->variant.empty());
  }
  CHECK(gpu_catalog().size() == 8);
  CHECK(find_gpu("a100") == nullptr);
}

TEST_CASE("a GPU has the rates that its generation can do") {
  for (const Gpu& gpu : gpu_catalog()) {
    CAPTURE(gpu.name);
    // tf32 and bf16 came with the A100's generation, together.
    CHECK(gpu.tf32_flops_per_s.has_value() == gpu.bf16_flops_per_s.has_value());
    REQUIRE(gpu.fp16_flops_per_s.has_value());
    CHECK(*gpu.fp16_flops_per_s >= 2 * gpu.fp32_flops_per_s);
    // Data sheets print three digits of each.
    if (gpu.tf32_flops_per_s) CHECK(*gpu.fp16_flops_per_s == about(2 * *gpu.tf32_flops_per_s, 0.002));
  }
  CHECK(find_gpu("V100")->peak_flops_per_s(Precision::fp16) == 125e12);
  CHECK(find_gpu("V100")->peak_flops_per_s(Precision::fp32) == 15.7e12);
  CHECK(find_gpu("V100")->peak_flops_per_s(Precision::tf32) == std::nullopt);
  CHECK(find_gpu("A100")->peak_flops_per_s(Precision::tf32) == 156e12);
  CHECK(find_gpu("A100")->peak_flops_per_s(Precision::bf16) == 312e12);
}

TEST_CASE("precisions have their names, and parameters take 4 or 2 bytes in them") {
  CHECK(name_of(Precision::fp32) == "fp32");
  CHECK(name_of(Precision::tf32) == "tf32");
  CHECK(name_of(Precision::fp16) == "fp16");
  CHECK(name_of(Precision::bf16) == "bf16");
  CHECK(bytes_per_parameter(Precision::tf32) == 4);
  CHECK(bytes_per_parameter(Precision::bf16) == 2);
}

}  // namespace
}  // namespace starling
