#pragma once

#include <cstdint>
#include <vector>

#include "workloads/learning/replica.hpp"
#include "workloads/models/workload.hpp"

namespace starling {

/// Consecutive tensors whose gradients are sent as one message.
struct Bucket {
  TensorRange tensors;
  /// The layer at the end of whose backward pass all gradients of the bucket are ready.
  int ready_layer = 0;
};

/// Consecutive layers whose gradients are sent as one message.
struct LayerGroup {
  /// The first layer: its forward pass is the first that needs the group, and its backward pass completes the
  /// group's gradients.
  int first_layer = 0;
  /// One past the last layer, which is the next group's first layer: layers without tensors belong to the
  /// group before them.
  int end_layer = 0;
  TensorRange tensors;
};

/// The linear model of the time of an all-reduce of m bytes: a + b·m.
struct AllreduceTime {
  double start_up_s = 0;
  double s_per_byte = 0;

  double of(double bytes) const { return start_up_s + s_per_byte * bytes; }
};

/// The layer that each tensor belongs to.
std::vector<int> tensor_layers(const Model& model);

/// The layers from that of the first of `tensors` to that of the last; an empty range if there are no
/// tensors.
LayerRange layers_of(const Model& model, TensorRange tensors);

/// One bucket with all tensors, which is ready when the whole backward pass has ended; no bucket if the model
/// has no tensors.
std::vector<Bucket> single_bucket(const Model& model);

/// One bucket per tensor, in the order of the backward pass: the last tensor first.
std::vector<Bucket> bucket_per_tensor(const Model& model);

/// The buckets of PyTorch's DistributedDataParallel as it rebuilds them after the first iteration, when it
/// knows the order of the gradients. Tensors fill a bucket in reverse registration order until it holds
/// bucket_bytes or more; the tensor that reaches the limit is part of the bucket. The limit of the first
/// bucket is first_bucket_bytes. Reference: compute_bucket_assignment_by_size in PyTorch's reducer.cpp; Li et
/// al., VLDB 13(12), 2020.
std::vector<Bucket> ddp_buckets(const Workload& workload, double bucket_bytes, double first_bucket_bytes);

/// The merged-gradient layers of MG-WFBP in the order of the backward pass.
///
/// Layer l is merged with l', the next lower layer that has tensors, if ready(l') − start(l) < a. Here ready
/// is the end of a layer's backward pass, start(l) = max(ready(l), end of the preceding communication), and a
/// the start-up of `allreduce`. So layers are merged if the all-reduce of l could not start before l' is
/// ready anyway, or if waiting for l' costs less than a start-up. O(layers). Reference: Shi, Chu, Li,
/// "MG-WFBP: Efficient data communication for distributed synchronous SGD algorithms", INFOCOM 2019,
/// algorithm 1.
std::vector<Bucket> merged_buckets(const Workload& workload, const AllreduceTime& allreduce);

/// DeAR's groups in forward order: layers with tensors join a group while its total size stays below
/// bucket_bytes; with 0 every such layer is a group of its own. Layers before the first tensor belong to no
/// group.
std::vector<LayerGroup> layer_groups(const Workload& workload, double bucket_bytes);

/// `elements` rounded up to a multiple of `workers`.
std::int64_t padded(std::int64_t elements, int workers);

}  // namespace starling
