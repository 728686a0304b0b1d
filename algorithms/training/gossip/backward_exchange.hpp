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

/// The bucket size, in bytes, where models are averaged bucket by bucket during the backward pass. Each
/// bucket is averaged as soon as its gradients are ready, but without them: the step is made after all
/// averages. A bucket closes with the tensor that brings it to this size; 0: one bucket per tensor. Not
/// negative. Not set: the model is averaged as a whole.
///
/// The baselines of WAGMA-SGD were run in this way, with one operation per tensor (its published code,
/// optimizer_*_imagenet.py). Every operation waits for neighbors, so in one iteration a delay spreads over
/// as many hops of the graph as there are buckets.
using ModelBuckets = std::optional<double>;

/// Describes the key "bucket_bytes"; `otherwise` says how models are averaged without it.
void describe_model_buckets(ModelBuckets& bucket_bytes, std::string_view otherwise, OptionVisitor& visitor);

/// The buckets in which models are averaged; empty if they are averaged as a whole.
std::vector<Bucket> model_buckets(const Workload& workload, ModelBuckets bucket_bytes);

/// The parameters of each bucket; those of the whole model if there are no buckets.
std::vector<Buffer> bucket_models(Replica& replica, const std::vector<Bucket>& buckets);

/// Computes the backward pass while a strand of its own calls `exchange` for buckets 0, 1, … one after the
/// other, each once its gradients are ready. Returns when both have ended. Without buckets it only computes.
void exchange_during_backward(Trainer& trainer, const std::vector<Bucket>& buckets,
                              const std::function<void(std::size_t bucket)>& exchange);

/// The approximate traffic of an iteration's exchange with neighbors, in `buckets` buckets, or of the whole
/// model if that is 0. Averages over at most 16 workers and 16 iterations.
TypicalTraffic typical_exchange(const MixingSchedule& mixing, std::size_t buckets);

}  // namespace starling
