#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "algorithms/training/gossip/gossip_options.hpp"
#include "algorithms/training/shared/bucket.hpp"
#include "algorithms/training/shared/trainer.hpp"

namespace starling {

/// The buckets that models are averaged in; none: as one.
std::vector<Bucket> model_buckets(const Workload& workload, ModelBuckets bucket_bytes);

/// The parameters of the buckets, or the whole model if there are none.
std::vector<Buffer> bucket_models(Replica& replica, const std::vector<Bucket>& buckets);

/// Computes the backward pass; beside it a strand of its own calls `exchange` for bucket 0, 1, … one after
/// the other, each once its gradients are there. Returns when both have ended.
void exchange_during_backward(Trainer& trainer, const std::vector<Bucket>& buckets,
                              const std::function<void(std::size_t bucket)>& exchange);

}  // namespace starling
