#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "algorithms/training/shared/bucket.hpp"
#include "algorithms/training/shared/trainer.hpp"
#include "base/options/option_visitor.hpp"
#include "topologies/graphs/mixing_schedule.hpp"

namespace starling {

/// Models in buckets, averaged one after the other beside the backward pass, each as soon as its gradients
/// are there and without them: the step is made afterwards. A bucket closes with the tensor that brings it to
/// this many bytes; 0: one per tensor. Not negative.
///
/// This is how the baselines of WAGMA-SGD were run, one operation per tensor (its published code,
/// optimizer_*_ imagenet.py): every operation waits for neighbors, so a delay passes as many neighbors in an
/// iteration as there are buckets.
using ModelBuckets = std::optional<double>;

/// The key "bucket_bytes"; `otherwise` is how models are averaged as one.
void describe_model_buckets(ModelBuckets& bucket_bytes, std::string_view otherwise, OptionVisitor& visitor);

/// The buckets that models are averaged in; none: as one.
std::vector<Bucket> model_buckets(const Workload& workload, ModelBuckets bucket_bytes);

/// The parameters of the buckets, or the whole model if there are none.
std::vector<Buffer> bucket_models(Replica& replica, const std::vector<Bucket>& buckets);

/// Computes the backward pass; beside it a strand of its own calls `exchange` for bucket 0, 1, … one after
/// the other, each once its gradients are there. Returns when both have ended.
void exchange_during_backward(Trainer& trainer, const std::vector<Bucket>& buckets,
                              const std::function<void(std::size_t bucket)>& exchange);

/// What an iteration's exchange with neighbors sends, in so many buckets, or the model as one if there are
/// none. O(1) for each of a few workers.
UsualTraffic usual_exchange(const MixingSchedule& mixing, std::size_t buckets);

}  // namespace starling
