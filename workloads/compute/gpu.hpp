#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace starling {

/// The arithmetic of a training job. fp16 and bf16 mean mixed precision: products of 16-bit numbers, sums in
/// 32 bits.
enum class Precision { fp32, tf32, fp16, bf16 };

std::string_view name_of(Precision precision);

/// The bytes of one parameter in memory, when read for arithmetic: 4 for fp32 and tf32, 2 for fp16 and bf16.
double bytes_per_parameter(Precision precision);

/// A GPU according to its vendor: peak rates of dense (not sparse) arithmetic at boost clock.
struct Gpu {
  std::string name;
  std::string variant;  // form factor and memory size
  double fp32_flops_per_s = 0;
  std::optional<double> tf32_flops_per_s;
  std::optional<double> fp16_flops_per_s;  // of tensor cores, if the GPU has any
  std::optional<double> bf16_flops_per_s;
  double memory_bytes_per_s = 0;
  std::string source;

  /// The peak rate in this precision; nullopt if the GPU has no units for it.
  std::optional<double> peak_flops_per_s(Precision precision) const;
};

/// P100, V100, T4, RTX 2080 Ti, A100, A40, H100 and H200: in order of appearance.
std::span<const Gpu> gpu_catalog();

/// The GPU of that exact name, or null.
const Gpu* find_gpu(std::string_view name);

}  // namespace starling
