#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/options/option_visitor.hpp"
#include "workloads/compute/compute_times.hpp"

namespace starling {

/// The largest number of samples in a batch.
inline constexpr int largest_batch_size = 1 << 24;

/// Measured times of every layer, from a shipped profile (by its name) or a profile file (by its path), times
/// `scale`.
struct ProfileOptions {
  static constexpr std::string_view name = "profile";
  static constexpr std::string_view summary = "measured times of every layer";
  std::string profile = {};
  double scale = 1;
};

/// The alternative sources of layer times; a scenario's keys tell which one is meant.
using ComputeForm = std::variant<TotalTimes, Throughput, MeasuredBatches, ProfileOptions, RooflineTimes>;

/// How computation is carried out where a scenario is run natively: by a timer in place of a GPU, or by
/// matrix products on a CPU core.
enum class ComputeKind { emulated, gemm };

/// The options under a scenario's key `compute`.
struct ComputeOptions {
  ComputeKind kind = ComputeKind::emulated;
  ComputeForm form = {};
};

void describe(ComputeOptions& options, OptionVisitor& visitor);

/// The data type in which gradients, and the parameters that algorithms average, are sent.
enum class GradientDtype { fp32, bf16, fp16 };

std::string_view name_of(GradientDtype dtype);
double bytes_of(GradientDtype dtype);

/// The default data type of gradients: the 16-bit precision that the roofline's GPU computes in; fp32 for
/// everything else.
GradientDtype default_gradient_dtype(const ComputeOptions& options);

/// Whether computation with these options can produce gradients of that type: 32-bit arithmetic can produce
/// all types, as gradients are rounded; 16-bit arithmetic can produce its own type, and fp32, in which sums
/// are held.
bool can_give(const ComputeOptions& options, GradientDtype dtype);

}  // namespace starling
