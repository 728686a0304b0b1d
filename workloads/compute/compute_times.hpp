#pragma once

#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "workloads/compute/gpu.hpp"
#include "workloads/models/workload.hpp"

namespace starling {

/// A profile: seconds of every layer, in forward order, as measured at the workload's batch size.
struct MeasuredTimes {
  std::vector<double> forward_s;
  std::vector<double> backward_s;
  double scale = 1;  // all times are so many times as long, as on a GPU that is slower throughout
};

/// Totals of one iteration, split over the layers in proportion to their floating-point work; layers without
/// work take no time. If no layer has any, all layers take the same.
struct TotalTimes {
  static constexpr std::string_view name = "totals";
  static constexpr std::string_view summary = "times of one pass";
  double forward_s = 0;
  double backward_s = 0;
};

/// What a worker alone computes in a second, as papers state it: of an iteration, a third is forward, as the
/// backward pass has twice the operations, and both are split as TotalTimes.
struct Throughput {
  static constexpr std::string_view name = "throughput";
  static constexpr std::string_view summary = "what a worker alone computes in a second";
  double samples_per_s = 0;  // at the workload's batch size
};

/// Totals of one iteration at a batch size.
struct BatchTimes {
  int batch_size = 0;
  double forward_s = 0;
  double backward_s = 0;
};

/// Totals at one or several batch sizes, which increase. At another batch size times lie on the line through
/// the two nearest ones: between them, and beyond the last, where they do not fall. From a single one they
/// are affine:
///   t(b) = l + (t₁ − l) · b / b₁    with l = min(t₁, launches · launch_s)
/// for the launches that kernel_launches() counts: what a smaller batch saves is work, and no launch of a
/// kernel. Below the first of several they lie on the line, but are at least what the first alone would give.
/// Split over layers as TotalTimes.
struct MeasuredBatches {
  static constexpr std::string_view name = "batches";
  static constexpr std::string_view summary = "times of one pass at one or several batch sizes";
  std::vector<BatchTimes> batches = {};
  /// Of one kernel, 4 – 6 µs (susun-blog.com, pegainfer 3, with github xiaguan/cuda-kernel-launch-lab). A
  /// floor: Python, autograd and kernels too short to fill a GPU come on top. Transformer-Base, measured at
  /// two batch sizes on three kinds of hosts, has 23 to 44 ms that do not depend on the batch, where its
  /// launches alone are 3.4 ms (README.md).
  double launch_s = 5e-6;
};

/// How many kernels a pass launches one by one, as a framework without graphs does. Forward two for each
/// layer of a model: the layer's own, and that of the activation, dropout, sum or mask beside it, which model
/// files do not list. Backward twice as many: gradients of inputs and of weights.
struct KernelLaunches {
  double forward = 0;
  double backward = 0;
};

KernelLaunches kernel_launches(const Model& model);

/// Times from what a GPU can do at best (a roofline). A layer takes the longer of arithmetic and memory
/// traffic:
///   forward  = max(flops · batch_size / (peak · achieved_fraction), parameters · b / memory_bandwidth)
///   backward = max(backward_ratio · flops · batch_size / (peak · achieved_fraction),
///                  2 · parameters · b / memory_bandwidth)
/// where b is bytes_per_parameter(precision): forward reads each parameter once, backward reads it once and
/// writes its gradient once. Activations are not counted, as model files do not list them; they and launch
/// overheads have to be in the achieved fraction, which is therefore measured for a whole model rather than
/// guessed for a layer.
struct RooflineTimes {
  static constexpr std::string_view name = "GPU";
  static constexpr std::string_view summary = "times from what a GPU can do at best";
  Gpu gpu;
  Precision precision = Precision::fp32;
  std::optional<double> achieved_fraction;  // of the peak rate, in (0, 1]; must be given
  double backward_ratio = 2;  // backward over forward operations: gradients of inputs and of weights
};

using ComputeTimes = std::variant<MeasuredTimes, TotalTimes, Throughput, MeasuredBatches, RooflineTimes>;

/// Fills workload.forward_s and backward_s, one number per layer, from its model and batch size, and says in
/// workload.compute_law where they come from, and in workload.compute_doubt why they may be far off.
/// @throws std::invalid_argument for a negative or infinite time, a throughput that is not above 0, a profile
/// of another number of layers, a missing or impossible achieved fraction, a precision that the GPU lacks, a
/// model without operations on a GPU, no batch, or batch sizes that do not increase.
void set_compute_times(Workload& workload, const ComputeTimes& times);

}  // namespace starling
