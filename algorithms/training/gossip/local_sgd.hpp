#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/training/gossip/backward_exchange.hpp"
#include "algorithms/training/shared/bucket.hpp"
#include "algorithms/training/shared/cluster_facts.hpp"
#include "algorithms/training/shared/training_algorithm.hpp"
#include "algorithms/training/shared/training_traits.hpp"
#include "base/options/option_visitor.hpp"

namespace starling {

/// Local SGD: local steps, and an average of all models after every τ-th.
struct LocalSgdOptions {
  static constexpr std::string_view kind = "local_sgd";
  static constexpr TrainingTraits traits{
      .has_period = true, .has_averaging_period = true, .uses_collective = true};
  /// The all-reduce that averages models.
  std::string collective = "ring";
  /// τ: models are averaged in every τ-th iteration; 1: in each. At least 1.
  int sync_period = 10;
  /// Not set: the model is averaged as a whole, after the update. Set: as in ModelBuckets.
  ModelBuckets bucket_bytes = {};
};

/// Local SGD: τ steps with the worker's own gradients, then an all-reduce of the models, for which the worker
/// waits; the sum is divided by P.
///
/// Iterations t with (t+1) mod τ = 0 take F + B + U + T_AR(m), all others F + B + U. In buckets, models are
/// averaged during the backward pass, before the step: at least F + B + T_AR(last bucket) + U. Reference:
/// Stich, "Local SGD converges fast and communicates little", ICLR 2019.
class LocalSgd final : public TrainingAlgorithm {
 public:
  LocalSgd(const LocalSgdOptions& options, const Workload& workload, const CollectiveChoice& collective);

  void run(Worker& worker, Replica& replica, const TrainingJob& job) const override;
  TypicalTraffic typical_traffic(const Workload&) const override;
  /// The all-reduces of the buckets, or of the whole model.
  std::vector<const Schedule*> sequential_collectives() const override;
  std::int64_t quiescent_period() const override { return sync_period_; }
  int sync_period() const { return sync_period_; }
  /// Empty if the model is averaged as a whole.
  const std::vector<Bucket>& buckets() const { return buckets_; }

 private:
  int sync_period_;
  std::vector<Bucket> buckets_;                        // empty: the model is averaged as a whole
  std::vector<std::unique_ptr<Schedule>> allreduces_;  // one per bucket, or of the whole model
};

std::int64_t pattern_period(const LocalSgdOptions& options, const ClusterFacts& facts);
std::int64_t model_averaging_period(const LocalSgdOptions& options);
void describe(LocalSgdOptions& options, OptionVisitor& visitor);
std::unique_ptr<TrainingAlgorithm> make_algorithm(const LocalSgdOptions& options, const Workload& workload,
                                                  const ClusterFacts& facts);

}  // namespace starling
