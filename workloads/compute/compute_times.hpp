#pragma once

#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "workloads/compute/gpu.hpp"
#include "workloads/models/workload.hpp"

namespace starling {

/// A profile: the seconds that every layer takes, in forward order, measured at the workload's batch size.
struct MeasuredTimes {
  std::vector<double> forward_s;
  std::vector<double> backward_s;
  double scale = 1;  // a factor on all times, for a GPU that is slower throughout
};

/// Total times of one forward and one backward pass, split over the layers in proportion to their
/// floating-point operations; layers without operations take no time. If no layer has any, all layers take
/// equally long.
struct TotalTimes {
  static constexpr std::string_view name = "totals";
  static constexpr std::string_view summary = "times of one pass";
  double forward_s = 0;
  double backward_s = 0;
};

/// The throughput of a single worker, as papers state it. A third of the time of an iteration is the forward
/// pass, as the backward pass has twice the operations; both are split like TotalTimes.
struct Throughput {
  static constexpr std::string_view name = "throughput";
  static constexpr std::string_view summary = "samples per second of a worker alone";
  double samples_per_s = 0;  // at the workload's batch size
};

/// Total times of one pass at a batch size.
struct BatchTimes {
  int batch_size = 0;
  double forward_s = 0;
  double backward_s = 0;
};

/// Total times at one or several batch sizes, in increasing order, split over the layers like TotalTimes. At
/// other batch sizes times are interpolated linearly between the two nearest; beyond the largest they are
/// extrapolated, but do not fall. With a single batch size they are affine:
///   t(b) = l + (t₁ − l) · b / b₁    with l = min(t₁, launches · launch_s)
/// where `launches` is the number of kernels according to kernel_launches(): a smaller batch has less work,
/// but not fewer kernels to launch. Below the smallest of several batch sizes, times are extrapolated
/// linearly, but are at least those that the smallest alone would give.
struct MeasuredBatches {
  static constexpr std::string_view name = "batches";
  static constexpr std::string_view summary = "times of one pass at one or several batch sizes";
  std::vector<BatchTimes> batches = {};
  /// The time to launch one kernel, 4 – 6 µs (susun-blog.com, pegainfer 3, with github
  /// xiaguan/cuda-kernel-launch-lab). This is a lower bound: Python, autograd and kernels too short to fill a
  /// GPU come on top. Transformer-Base, measured at two batch sizes on three kinds of hosts, has 23 to 44 ms
  /// that do not depend on the batch, of which launches are only 3.4 ms (README.md).
  double launch_s = 5e-6;
};

/// The number of kernels that a pass launches one by one, as in a framework without CUDA graphs. Forward: two
/// per layer of the model, one for the layer itself and one for the activation, dropout, sum or mask next to
/// it, which model files do not list. Backward: twice as many, for gradients of inputs and of weights.
struct KernelLaunches {
  double forward = 0;
  double backward = 0;
};

KernelLaunches kernel_launches(const Model& model);

/// Times from the peak rates of a GPU (a roofline). A layer takes the longer of arithmetic and memory
/// traffic:
///   forward  = max(flops · batch_size / (peak · achieved_fraction), parameters · b / memory_bandwidth)
///   backward = max(backward_ratio · flops · batch_size / (peak · achieved_fraction),
///                  2 · parameters · b / memory_bandwidth)
/// where b is bytes_per_parameter(precision): the forward pass reads each parameter once, the backward pass
/// reads it once and writes its gradient once. Traffic of activations is not counted, as model files do not
/// list activations. The achieved fraction has to account for it and for launch overheads, so it is measured
/// for a whole model rather than guessed for a layer.
struct RooflineTimes {
  static constexpr std::string_view name = "GPU";
  static constexpr std::string_view summary = "times from a GPU's roofline";
  Gpu gpu;
  Precision precision = Precision::fp32;
  std::optional<double> achieved_fraction;  // achieved rate over peak rate, in (0, 1]; must be given
  double backward_ratio = 2;                // operations of the backward pass over those of the forward pass
};

using ComputeTimes = std::variant<MeasuredTimes, TotalTimes, Throughput, MeasuredBatches, RooflineTimes>;

/// Fills workload.forward_s and backward_s with the time of each layer, for the workload's model and batch
/// size. Sets workload.compute_source to where the times come from, and workload.compute_warning to why they
/// may be far off.
/// @throws std::invalid_argument for a negative or infinite time, a throughput that is not above 0, a profile
/// with another number of layers, a missing or impossible achieved fraction, a precision that the GPU lacks,
/// a roofline of a model without operations, times of no batch size, or batch sizes that do not increase.
void set_compute_times(Workload& workload, const ComputeTimes& times);

}  // namespace starling
