#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace starling {

inline constexpr double mebibyte = 1024.0 * 1024.0;

/// The collective of an option struct is one of ring, recursive_doubling, halving_doubling, double_tree,
/// hierarchical, auto; auto takes, for every message size, the one whose cost formula is least.

/// All gradients in one all-reduce after the backward pass.
struct AllreduceOptions {
  static constexpr std::string_view kind = "allreduce";
  std::string collective = "ring";
};

/// Wait-free backpropagation: one all-reduce per tensor, as soon as its gradient is ready.
struct WfbpOptions {
  static constexpr std::string_view kind = "wfbp";
  std::string collective = "ring";
};

/// PyTorch's DistributedDataParallel: buckets of tensors in reverse registration order.
struct DdpOptions {
  static constexpr std::string_view kind = "ddp";
  std::string collective = "ring";
  /// A bucket closes with the tensor that brings it to this many bytes. Above 0.
  double bucket_bytes = 25 * mebibyte;
  /// The same for the bucket that is sent first, if bucket_bytes is not less. Above 0.
  double first_bucket_bytes = mebibyte;
};

/// Horovod: tensors that are ready on every rank are fused and sent once a cycle.
struct HorovodOptions {
  static constexpr std::string_view kind = "horovod";
  std::string collective = "ring";
  /// From one negotiation to the next: 1 ms since release 0.21, 5 ms before. Above 0.
  double cycle_time_s = 1e-3;
  /// Tensors are fused while their sum does not exceed this: 128 MB since release 0.21, 64 MB before. 0: no
  /// fusion.
  double fusion_bytes = 128 * mebibyte;
};

/// Merged-gradient wait-free backpropagation: layers are merged where that saves more start-up time than
/// waiting costs.
struct MgWfbpOptions {
  static constexpr std::string_view kind = "mg_wfbp";
  std::string collective = "ring";
  /// What merging takes an all-reduce to cost, as released programs have it in a table: a start-up of at
  /// least 0 and a bandwidth above 0, given together. Left out: the collective's own cost on this cluster.
  std::optional<double> planned_start_up_s = std::nullopt;
  std::optional<double> planned_bandwidth = std::nullopt;
};

/// ByteScheduler: tensors in partitions, those of the layer that is needed first go first.
struct ByteSchedulerOptions {
  static constexpr std::string_view kind = "bytescheduler";
  std::string collective = "ring";
  /// A tensor is cut into the fewest equal pieces that are no larger. 4 MB (a million floats). Above 0, and
  /// not so small that the model would fall into more than a million pieces.
  double partition_bytes = 4e6;
  /// The next partition is handed over while those handed over and not yet complete are fewer bytes. 16 MB.
  /// Above 0.
  double credit_bytes = 16e6;
  /// How many of the partitions handed over are exchanged at the same time. Collectives of one communicator
  /// run one after the other, so 1 is what an all-reduce job does. At least 1.
  int streams = 1;
};

/// DeAR: reduce-scatters under the backward pass, all-gathers under the next forward pass.
struct DearOptions {
  static constexpr std::string_view kind = "dear";
  /// ring, halving_doubling (for powers of two) or auto: what has a reduce-scatter and an all-gather.
  std::string collective = "ring";
  /// Layers join a group while their sum stays below this; 0: without fusion, every layer is a group.
  double bucket_bytes = 25 * mebibyte;
  /// Find bucket_bytes by search_bucket_bytes() before the run (`"bucket_bytes": "auto"`). Whoever runs the
  /// algorithm does it.
  bool search_bucket_bytes = false;
  /// The all-gather of group g+prefetch_depth is issued when group g is complete and the forward pass reaches
  /// it. At least 1.
  int prefetch_depth = 1;
  /// The host launches the forward pass ahead of the GPU: it reaches a group as soon as the group is
  /// complete, and all-gathers follow each other without a gap, as published. False: the forward pass reaches
  /// a group when the GPU has computed the groups before it, so that all-gathers are at most prefetch_depth
  /// groups ahead of computation.
  bool launch_ahead = true;
  /// Every iteration ends with a wait for all communication under way, as the published measurements do.
  bool sync_each_iteration = false;
};

}  // namespace starling
