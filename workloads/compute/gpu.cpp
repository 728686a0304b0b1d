#include "workloads/compute/gpu.hpp"

#include <algorithm>
#include <array>

#include "base/errors.hpp"

namespace starling {

namespace {

constexpr double tera = 1e12;
constexpr double giga = 1e9;

// Where a vendor only states rates with structured sparsity, dense rates are half of these.
const std::array<Gpu, 8>& catalog() {
  static const std::array<Gpu, 8> gpus = {{
      {.name = "P100",
       .variant = "PCIe 16 GB",
       .fp32_flops_per_s = 9.3 * tera,
       .tf32_flops_per_s = {},
       .fp16_flops_per_s = 18.7 * tera,
       .bf16_flops_per_s = {},
       .memory_bytes_per_s = 732 * giga,
       .source = "NVIDIA Tesla P100 PCIe datasheet (2016); no tensor cores, fp16 is packed arithmetic"},
      {.name = "V100",
       .variant = "SXM2 16 GB",
       .fp32_flops_per_s = 15.7 * tera,
       .tf32_flops_per_s = {},
       .fp16_flops_per_s = 125 * tera,
       .bf16_flops_per_s = {},
       .memory_bytes_per_s = 900 * giga,
       .source = "NVIDIA V100 datasheet (2018)"},
      {.name = "T4",
       .variant = "PCIe 16 GB",
       .fp32_flops_per_s = 8.1 * tera,
       .tf32_flops_per_s = {},
       .fp16_flops_per_s = 65 * tera,
       .bf16_flops_per_s = {},
       .memory_bytes_per_s = 320 * giga,
       .source = "NVIDIA T4 product brief (2018)"},
      {.name = "RTX 2080 Ti",
       .variant = "PCIe 11 GB",
       .fp32_flops_per_s = 13.4 * tera,
       .tf32_flops_per_s = {},
       .fp16_flops_per_s = 53.8 * tera,
       .bf16_flops_per_s = {},
       .memory_bytes_per_s = 616 * giga,
       .source = "NVIDIA Turing architecture whitepaper (2018), reference clocks; fp16 sums in 32 bits, half "
                 "the rate of 16"},
      {.name = "A100",
       .variant = "SXM4 40 GB",
       .fp32_flops_per_s = 19.5 * tera,
       .tf32_flops_per_s = 156 * tera,
       .fp16_flops_per_s = 312 * tera,
       .bf16_flops_per_s = 312 * tera,
       .memory_bytes_per_s = 1555 * giga,
       .source = "NVIDIA A100 datasheet (2020)"},
      {.name = "A40",
       .variant = "PCIe 48 GB",
       .fp32_flops_per_s = 37.4 * tera,
       .tf32_flops_per_s = 74.8 * tera,
       .fp16_flops_per_s = 149.7 * tera,
       .bf16_flops_per_s = 149.7 * tera,
       .memory_bytes_per_s = 696 * giga,
       .source = "NVIDIA A40 datasheet (2021)"},
      {.name = "H100",
       .variant = "SXM5 80 GB",
       .fp32_flops_per_s = 67 * tera,
       .tf32_flops_per_s = 494.5 * tera,
       .fp16_flops_per_s = 989.5 * tera,
       .bf16_flops_per_s = 989.5 * tera,
       .memory_bytes_per_s = 3350 * giga,
       .source = "NVIDIA H100 datasheet (2023), rates with sparsity halved"},
      {.name = "H200",
       .variant = "SXM5 141 GB",
       .fp32_flops_per_s = 67 * tera,
       .tf32_flops_per_s = 494.5 * tera,
       .fp16_flops_per_s = 989.5 * tera,
       .bf16_flops_per_s = 989.5 * tera,
       .memory_bytes_per_s = 4800 * giga,
       .source = "NVIDIA H200 datasheet (2024), rates with sparsity halved"},
  }};
  return gpus;
}

}  // namespace

std::string_view name_of(Precision precision) {
  switch (precision) {
    case Precision::fp32:
      return "fp32";
    case Precision::tf32:
      return "tf32";
    case Precision::fp16:
      return "fp16";
    case Precision::bf16:
      return "bf16";
  }
  invariant_failed("a precision has a name", __FILE__, __LINE__);
}

double bytes_per_parameter(Precision precision) {
  return precision == Precision::fp32 || precision == Precision::tf32 ? 4 : 2;
}

std::optional<double> Gpu::peak_flops_per_s(Precision precision) const {
  switch (precision) {
    case Precision::fp32:
      return fp32_flops_per_s;
    case Precision::tf32:
      return tf32_flops_per_s;
    case Precision::fp16:
      return fp16_flops_per_s;
    case Precision::bf16:
      return bf16_flops_per_s;
  }
  return {};
}

std::span<const Gpu> gpu_catalog() { return catalog(); }

const Gpu* find_gpu(std::string_view name) {
  const auto found = std::ranges::find(catalog(), name, &Gpu::name);
  return found == catalog().end() ? nullptr : &*found;
}

}  // namespace starling
