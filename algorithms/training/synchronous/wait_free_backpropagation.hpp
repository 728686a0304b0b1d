#pragma once

#include <memory>
#include <vector>

#include "algorithms/training/shared/bucket.hpp"
#include "algorithms/training/shared/cluster_facts.hpp"
#include "algorithms/training/shared/training_algorithm.hpp"

namespace starling {

/// Wait-free backpropagation: the all-reduce of a bucket is issued when its last gradient is ready and runs
/// beside the rest of the backward pass, buckets strictly in order; when all are complete, everything is
/// updated.
///
/// The buckets make the algorithm: a single one is plain all-reduce, one per tensor is WFBP, ddp_buckets() is
/// PyTorch's DistributedDataParallel, merged_buckets() is MG-WFBP. The last bucket b of an iteration ends at
/// C(b), where C(b) = max(ready(b) of the last worker, C(b−1)) + T_AR(m_b). Reference: Zhang et al.,
/// "Poseidon: An efficient communication architecture for distributed deep learning on GPU clusters", USENIX
/// ATC 2017.
class WaitFreeBackpropagation final : public TrainingAlgorithm {
 public:
  /// `buckets` in the order of the backward pass.
  WaitFreeBackpropagation(const Workload& workload, std::vector<Bucket> buckets,
                          const CollectiveChoice& collective);

  void run(Worker& worker, Replica& replica, const TrainingJob& job) const override;
  std::vector<const Schedule*> only_traffic() const override;

 private:
  std::vector<Bucket> buckets_;
  std::vector<std::unique_ptr<Schedule>> allreduces_;  // one per bucket
};

}  // namespace starling
