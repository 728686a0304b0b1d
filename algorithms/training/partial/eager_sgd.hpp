#pragma once

#include <memory>
#include <vector>

#include "algorithms/training/partial/partial_collectives.hpp"
#include "algorithms/training/partial/partial_options.hpp"
#include "algorithms/training/shared/bucket.hpp"
#include "algorithms/training/shared/cluster_facts.hpp"
#include "algorithms/training/shared/training_algorithm.hpp"

namespace starling {

/// eager-SGD: the sum over all gradients is a partial collective, so nobody waits for a late worker.
///
/// Every iteration, for every bucket: sendbuf += gradient; result = the bucket's partial all-reduce
/// (recursive doubling over all P), which returns at once if this version has run already; w ← w + U(result /
/// P). A late gradient stays in sendbuf and goes with the next one. The divisor is always P. A worker that is
/// k versions late returns at once k times and reads the newest result each time, so replicas drift apart
/// until a model synchronization.
///
/// All operations of an iteration have the same initiator (majority). Adding to sendbuf takes no time; the
/// sums of the collective take γ.
/// Reference: Li, Ben-Nun, Di Girolamo, Alistarh, Hoefler, "Taming unbalanced training workloads in deep
/// learning with partial collective operations", PPoPP 2020, arXiv 1908.04207.
class EagerSgd final : public TrainingAlgorithm {
 public:
  /// @throws std::invalid_argument for an option out of its range, or workers that are not a power of two.
  EagerSgd(const EagerOptions& options, const Workload& workload, const CollectiveChoice& collective);

  void run(Worker& worker, Replica& replica, const TrainingJob& job) const override;

 private:
  PartialCollectivePlan plan(const TrainingJob& job) const;
  VersionStart start(std::int64_t version, std::uint64_t seed) const;
  void contribute(PartialCollectives& collectives, int operation, Buffer gradient) const;
  bool synchronizes(std::int64_t iteration) const;

  EagerOptions options_;
  int workers_;
  std::vector<Bucket> buckets_;
  std::vector<std::unique_ptr<Schedule>> allreduces_;  // one per bucket
  std::unique_ptr<Schedule> model_allreduce_;
};

}  // namespace starling
