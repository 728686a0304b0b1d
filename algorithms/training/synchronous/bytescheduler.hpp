#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "algorithms/training/shared/cluster_facts.hpp"
#include "algorithms/training/shared/training_algorithm.hpp"
#include "algorithms/training/synchronous/synchronous_options.hpp"

namespace starling {

/// A piece of a tensor that is exchanged by itself.
struct Partition {
  int layer = 0;
  /// In the flat gradient.
  std::int64_t offset = 0;
  std::int64_t count = 0;
};

/// All partitions in the order in which the forward pass needs them: every tensor in the fewest equal pieces
/// (up to one element) of at most partition_bytes.
std::vector<Partition> partitions_of(const Workload& workload, double partition_bytes);

/// ByteScheduler: tensors are exchanged in partitions, the one that the next forward pass needs first goes
/// first, and the forward pass of a layer waits only for its own tensors.
///
/// Rank 0 decides the order, as in the release: whenever less than `credit_bytes` is handed over and not yet
/// complete, it takes the most urgent partition that is ready there and announces its number to all others
/// down a binomial tree (4 bytes, ⌈log₂P⌉α). Every worker exchanges partitions in that order, each when it is
/// ready there too. What is handed over cannot be overtaken any more: a large credit hides the announcements,
/// a small one lets urgent partitions pass sooner.
///
/// A layer is updated just before its forward pass. An iteration ends with its backward pass; the exchanges
/// and updates left by the last iteration come after it and belong to no iteration. Reference: Peng, Zhu,
/// Chen, Bao, Yi, Lan, Wu, Guo, "A generic communication scheduler for distributed DNN training
/// acceleration", SOSP 2019.
class ByteScheduler final : public TrainingAlgorithm {
 public:
  ByteScheduler(const ByteSchedulerOptions& options, const Workload& workload,
                const CollectiveChoice& collective);

  void run(Worker& worker, Replica& replica, const TrainingJob& job) const override;

 private:
  class Run;

  ByteSchedulerOptions options_;
  std::vector<Partition> partitions_;
  std::vector<int> first_partition_;                   // of every layer, and the end
  std::vector<int> first_tensor_;                      // of every layer, and the end
  std::vector<std::unique_ptr<Schedule>> allreduces_;  // one per partition
  std::unique_ptr<Schedule> announcement_;
};

}  // namespace starling
