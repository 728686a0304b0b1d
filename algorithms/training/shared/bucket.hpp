#pragma once

#include <cstdint>
#include <vector>

#include "workloads/learning/replica.hpp"
#include "workloads/models/workload.hpp"

namespace starling {

/// Consecutive tensors whose gradients travel as one message.
struct Bucket {
  TensorRange tensors;
  /// All gradients are there when the backward pass of this layer ends.
  int ready_layer = 0;
};

/// Consecutive layers whose gradients travel as one message.
struct LayerGroup {
  /// The layer whose forward pass needs the group first, and whose backward pass completes it.
  int first_layer = 0;
  /// One past the last layer: the next group's first, so layers without tensors stay with the group before
  /// them.
  int end_layer = 0;
  TensorRange tensors;
};

/// The time of an all-reduce of m bytes, as its user measures it: a + b·m.
struct AllreduceTime {
  double start_up_s = 0;
  double s_per_byte = 0;

  double of(double bytes) const { return start_up_s + s_per_byte * bytes; }
};

/// The layer of every tensor.
std::vector<int> tensor_layers(const Model& model);

/// From the layer of the first of these tensors to that of the last; none without tensors.
LayerRange layers_of(const Model& model, TensorRange tensors);

/// Everything in one bucket, which counts as ready when the whole backward pass has ended. None without
/// tensors.
std::vector<Bucket> single_bucket(const Model& model);

/// One bucket per tensor, in the order of the backward pass: the last tensor first.
std::vector<Bucket> bucket_per_tensor(const Model& model);

/// The buckets of PyTorch's DistributedDataParallel once it has seen the order of the gradients: tensors in
/// reverse registration order fill a bucket until it holds bucket_bytes or more (the tensor that gets it
/// there is part of it); the first bucket's limit is first_bucket_bytes. Reference:
/// compute_bucket_assignment_by_size in PyTorch's reducer.cpp; Li et al., VLDB 13(12), 2020.
std::vector<Bucket> ddp_buckets(const Workload& workload, double bucket_bytes, double first_bucket_bytes);

/// The merged-gradient layers of MG-WFBP in the order of the backward pass.
///
/// Layer l joins the layer with tensors before it, l', if ready(l') − start(l) < a, where ready is the end of
/// a layer's backward pass and start(l) = max(ready(l), end of the communication before it): its all-reduce
/// would not have started before l' is ready, or waiting for l' costs less than a start-up. O(layers).
/// Reference: Shi, Chu, Li, "MG-WFBP: Efficient data communication for distributed synchronous SGD
/// algorithms", INFOCOM 2019, algorithm 1.
std::vector<Bucket> merged_buckets(const Workload& workload, const AllreduceTime& allreduce);

/// DeAR's groups in forward order: layers with tensors join a group while its sum stays below bucket_bytes; 0
/// makes a group of every one of them. Layers before the first tensor belong to no group.
std::vector<LayerGroup> layer_groups(const Workload& workload, double bucket_bytes);

/// `elements` and enough padding to make them a multiple of `workers`.
std::int64_t padded(std::int64_t elements, int workers);

}  // namespace starling
