#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/training/partial/partial_collectives.hpp"
#include "algorithms/training/shared/bucket.hpp"
#include "algorithms/training/shared/cluster_facts.hpp"
#include "algorithms/training/shared/training_algorithm.hpp"
#include "algorithms/training/shared/training_traits.hpp"
#include "base/options/option_visitor.hpp"

namespace starling {

/// WAGMA-SGD: models are averaged within groups that change in every iteration and do not wait for late
/// workers.
struct WagmaOptions {
  static constexpr std::string_view kind = "wagma";
  static constexpr TrainingTraits traits{
      .has_period = true, .has_averaging_period = true, .has_operation_cost = true, .uses_collective = true};
  /// The all-reduce of the synchronous average of all models.
  std::string collective = "recursive_doubling";
  /// S, the group size, a power of two up to P. Not set: √P, or the next power of two above. 1: no group
  /// averages, which is local SGD.
  std::optional<int> group_size = {};
  /// τ: in every τ-th iteration the models of all workers are averaged, and all wait for each other. At least
  /// 1.
  std::int64_t sync_period = 10;
  /// Whether the groups of iteration 0 are used in every iteration.
  bool fixed_groups = false;
  /// Whether to follow the released program where it differs from the paper: every group average is (Wsum +
  /// W)/(S+1), whether a stale model was used or not; models are averaged before the update, W_{t+1} =
  /// average of W + U(gradient at W); and groups do not wrap around: iteration t uses the butterfly's
  /// dimensions from log₂S·(t mod ⌊log₂P/log₂S⌋) on. The program's sync_period is 11, and it runs one
  /// operation per tensor.
  bool published_code = false;
  /// As in EagerOptions.
  double bucket_bytes = 25 * mebibyte;
  bool serialized = true;
  double operation_cost_s = 0;
};

/// WAGMA-SGD: every worker makes a step of its own and averages its model within a group, which changes in
/// every iteration (a butterfly) and does not wait for late workers.
///
/// W' = W_t + U(gradient), bucket by bucket as gradients become ready. Where τ does not divide t+1, sendbuf
/// := W', the first worker to call activates all P ranks, and Wsum is the sum over the group. If W' was part
/// of it, W_{t+1} = Wsum / S; else a stale model was used, and W_{t+1} = (Wsum + W')/(S+1) with the newest
/// Wsum. Where τ divides t+1, W_{t+1} is the mean of W' over all ranks, which wait for each other. The models
/// that are averaged are therefore less than τ iterations old. Averaging takes no time beside the
/// collective's. With `published_code` every worker sends W_t, and U(gradient) is added after the average.
/// Reference: Li, Ben-Nun, Nadiradze, Di Girolamo, Dryden, Alistarh, Hoefler, "Breaking (global) barriers in
/// parallel stochastic optimization with wait-avoiding group averaging", TPDS 2021, arXiv 2005.00124.
class Wagma final : public TrainingAlgorithm {
 public:
  /// @throws std::invalid_argument for an option out of its range, or if the number of workers is not a power
  /// of two.
  Wagma(const WagmaOptions& options, const Workload& workload, const CollectiveChoice& collective);

  int group_size() const { return group_size_; }
  void run(Worker& worker, Replica& replica, const TrainingJob& job) const override;
  TypicalTraffic typical_traffic(const Workload&) const override;
  std::vector<const Schedule*> configured_collectives() const override { return pointers_to(allreduces_); }
  std::vector<Choice> choices() const override;

  const WagmaOptions& options() const { return options_; }
  const std::vector<Bucket>& buckets() const { return buckets_; }
  /// The partial collectives of a job of `iterations` iterations.
  PartialCollectivePlan plan(std::int64_t iterations) const;
  /// Whether an iteration averages anything: with groups of one, only the synchronizing ones do.
  bool averages(std::int64_t iteration) const { return group_size_ > 1 || synchronizes(iteration); }
  /// The version of the operations in an iteration that averages; for any other iteration, the version of the
  /// next one that does.
  std::int64_t version_of(std::int64_t iteration) const;

 private:
  /// Whether a version averages all models; with groups of one, every version does.
  bool is_of_all(std::int64_t version) const { return group_size_ == 1 || synchronizes(version); }
  bool synchronizes(std::int64_t version) const { return (version + 1) % options_.sync_period == 0; }
  VersionStart start(std::int64_t version) const;
  const Schedule& schedule(int operation, std::int64_t version) const;
  void average(Buffer model, Buffer sum, std::int64_t iteration, bool is_fresh) const;

  WagmaOptions options_;
  int workers_;
  int group_size_;
  std::vector<Bucket> buckets_;
  std::vector<std::unique_ptr<Schedule>> allreduces_;  // one per bucket
  /// For every bucket, one schedule per iteration until the groups repeat.
  std::vector<std::vector<std::unique_ptr<Schedule>>> group_allreduces_;
};

std::int64_t pattern_period(const WagmaOptions& options, const ClusterFacts& facts);
std::int64_t model_averaging_period(const WagmaOptions& options);
void describe(WagmaOptions& options, OptionVisitor& visitor);
std::unique_ptr<TrainingAlgorithm> make_algorithm(const WagmaOptions& options, const Workload& workload,
                                                  const ClusterFacts& facts);

}  // namespace starling
