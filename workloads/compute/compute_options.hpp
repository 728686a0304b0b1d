#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/options/option_visitor.hpp"
#include "workloads/compute/compute_times.hpp"

namespace starling {

/// The most samples that a batch may have.
inline constexpr int largest_batch_size = 1 << 24;

/// Measured times of every layer: the name of a shipped profile, or the path of a file.
struct ProfileOptions {
  static constexpr std::string_view name = "profile";
  static constexpr std::string_view summary = "measured times of every layer";
  std::string profile = {};
  double scale = 1;
};

/// Where the times of the layers come from; told apart by their keys.
using ComputeForm = std::variant<TotalTimes, Throughput, MeasuredBatches, ProfileOptions, RooflineTimes>;

/// What computes where a scenario is run for real: a timer in place of a GPU, or matrix products on a core.
enum class ComputeKind { emulated, gemm };

/// What a scenario's `compute` says.
struct ComputeOptions {
  ComputeKind kind = ComputeKind::emulated;
  ComputeForm form = {};
};

void describe(ComputeOptions& options, OptionVisitor& visitor);

/// What gradients are sent in, and the parameters that algorithms average.
enum class GradientDtype { fp32, bf16, fp16 };

std::string_view name_of(GradientDtype dtype);
double bytes_of(GradientDtype dtype);

/// The 16-bit precision of a GPU that computes in one; otherwise fp32.
GradientDtype usual_gradient_dtype(const ComputeOptions& options);

/// Whether what is computed in this way can have gradients of that type: of 32-bit arithmetic all, rounded if
/// they are shorter; of 16-bit arithmetic its own, and sums in 32 bits.
bool can_give(const ComputeOptions& options, GradientDtype dtype);

}  // namespace starling
