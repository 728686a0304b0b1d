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
};

/// Totals of one iteration, split over the layers in proportion to their floating-point work; layers without
/// work take no time. If no layer has any, all layers take the same.
struct TotalTimes {
  static constexpr std::string_view name = "totals";
  static constexpr std::string_view summary = "times of one iteration";
  double forward_s = 0;
  double backward_s = 0;
};

/// Totals of one iteration at a batch size.
struct BatchTimes {
  int batch_size = 0;
  double forward_s = 0;
  double backward_s = 0;
};

/// Totals at several batch sizes, which increase; at least two. At another batch size times lie on the line
/// through the two nearest ones: between them, and beyond the last, where they do not fall. Below the first
/// they lie on that line, too, but are at least in proportion to the batch: what a smaller batch saves is
/// work, and neither launches of kernels nor reading of parameters. Split over layers as TotalTimes.
struct MeasuredBatches {
  static constexpr std::string_view name = "batches";
  static constexpr std::string_view summary = "times of one iteration at several batch sizes";
  std::vector<BatchTimes> batches = {};
};

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

using ComputeTimes = std::variant<MeasuredTimes, TotalTimes, MeasuredBatches, RooflineTimes>;

/// Fills workload.forward_s and backward_s, one number per layer, from its model and batch size, and says in
/// workload.compute_law where they come from.
/// @throws std::invalid_argument for a negative or infinite time, a profile of another number of layers, a
/// missing or impossible achieved fraction, a precision that the GPU lacks, fewer than two batches, or batch
/// sizes that do not increase.
void set_compute_times(Workload& workload, const ComputeTimes& times);

}  // namespace starling
