#pragma once

#include <memory>
#include <vector>

#include "algorithms/training/gossip/gossip_options.hpp"
#include "algorithms/training/shared/bucket.hpp"
#include "algorithms/training/shared/cluster_facts.hpp"
#include "algorithms/training/shared/training_algorithm.hpp"

namespace starling {

/// Local SGD: τ steps with the worker's own gradients, then an all-reduce of the models, which the worker
/// waits for; the sum is divided by P.
///
/// Iterations t with (t+1) mod τ = 0 take F + B + U + T_AR(m), all others F + B + U. In buckets the models
/// before the step are averaged beside the backward pass: at least F + B + T_AR(last bucket) + U. Reference:
/// Stich, "Local SGD converges fast and communicates little", ICLR 2019.
class LocalSgd final : public TrainingAlgorithm {
 public:
  LocalSgd(const LocalSgdOptions& options, const Workload& workload, const CollectiveChoice& collective);

  void run(Worker& worker, Replica& replica, const TrainingJob& job) const override;
  std::vector<const Schedule*> only_traffic() const override;

 private:
  int synchronization_period_;
  std::vector<Bucket> buckets_;                        // none: the model is averaged as one
  std::vector<std::unique_ptr<Schedule>> allreduces_;  // of the buckets
};

}  // namespace starling
