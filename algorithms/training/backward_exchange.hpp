#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "algorithms/training/bucket.hpp"
#include "algorithms/training/trainer.hpp"

namespace starling {

/// Computes the backward pass; beside it a strand of its own calls `exchange` for bucket 0, 1, … one after the
/// other, each once its gradients are there. Returns when both have ended.
void exchange_during_backward(Trainer& trainer, const std::vector<Bucket>& buckets,
                              const std::function<void(std::size_t bucket)>& exchange);

}  // namespace starling
