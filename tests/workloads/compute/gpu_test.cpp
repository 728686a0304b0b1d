#include "workloads/compute/gpu.hpp"

#include <doctest/doctest.h>

#include <array>

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
    // Data sheets print three digits of each value.
    if (gpu.tf32_flops_per_s) CHECK(*gpu.fp16_flops_per_s == about(2 * *gpu.tf32_flops_per_s, 0.002));
  }
  CHECK(find_gpu("V100")->peak_flops_per_s(Precision::fp16) == 125e12);
  CHECK(find_gpu("V100")->peak_flops_per_s(Precision::fp32) == 15.7e12);
  CHECK(find_gpu("V100")->peak_flops_per_s(Precision::tf32) == std::nullopt);
  CHECK(find_gpu("A100")->peak_flops_per_s(Precision::tf32) == 156e12);
  CHECK(find_gpu("A100")->peak_flops_per_s(Precision::bf16) == 312e12);
}

/// What makes up a chip, as vendors' whitepapers print it: multiprocessors, what each does in a cycle (a
/// multiplication with its addition counts twice), boost clocks, and pins of memory.
struct Chip {
  const char* name;
  int multiprocessors;
  double fp32_per_cycle;
  double fp16_per_cycle;  // of tensor cores that sum in 32 bits, where there are any
  double clock_Hz;
  double fp16_clock_Hz;
  double pins;
  double bits_per_s_per_pin;
};

constexpr std::array<Chip, 8> chips = {{{"P100", 56, 128, 256, 1.303e9, 1.303e9, 4096, 1.43e9},
                                        {"V100", 80, 128, 1024, 1.53e9, 1.53e9, 4096, 1.752e9},
                                        {"T4", 40, 128, 1024, 1.59e9, 1.59e9, 256, 10e9},
                                        {"RTX 2080 Ti", 68, 128, 512, 1.545e9, 1.545e9, 352, 14e9},
                                        {"A100", 108, 128, 2048, 1.41e9, 1.41e9, 5120, 2.43e9},
                                        {"A40", 84, 256, 1024, 1.74e9, 1.74e9, 384, 14.5e9},
                                        {"H100", 132, 256, 4096, 1.98e9, 1.83e9, 5120, 5.24e9},
                                        {"H200", 132, 256, 4096, 1.98e9, 1.83e9, 6144, 6.25e9}}};

TEST_CASE("peak rates are those of a chip's units and clock, bandwidths those of its pins of memory") {
  constexpr double two_digits = 0.01;  // that data sheets print at least
  for (const Chip& chip : chips) {
    const Gpu& gpu = *find_gpu(chip.name);
    CAPTURE(gpu.name);
    CHECK(gpu.fp32_flops_per_s ==
          about(chip.multiprocessors * chip.fp32_per_cycle * chip.clock_Hz, two_digits));
    const double fp16_flops_per_s = chip.multiprocessors * chip.fp16_per_cycle * chip.fp16_clock_Hz;
    CHECK(*gpu.fp16_flops_per_s == about(fp16_flops_per_s, two_digits));
    CHECK(gpu.bf16_flops_per_s.value_or(*gpu.fp16_flops_per_s) == *gpu.fp16_flops_per_s);
    CHECK(gpu.memory_bytes_per_s == about(chip.pins * chip.bits_per_s_per_pin / 8, two_digits));
  }
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
