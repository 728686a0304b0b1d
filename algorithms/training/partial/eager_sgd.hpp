#pragma once

#include <cstdint>
#include <memory>
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

/// What eager-SGD does with a gradient that is computed too late for its operation.
enum class LateGradients {
  accumulate,  // adds it to the next gradient (the paper)
  drop,        // discards it (the published code)
};

/// eager-SGD: gradients are summed by partial collectives, which do not wait for everyone.
struct EagerOptions {
  static constexpr std::string_view solo = "eager_solo";
  static constexpr std::string_view majority = "eager_majority";
  static constexpr TrainingTraits traits{
      .has_period = true, .has_averaging_period = true, .has_operation_cost = true, .uses_collective = true};
  /// solo: the first worker to call an operation starts it; majority: one random rank per iteration does.
  std::string_view kind = solo;
  /// The all-reduce of the model synchronization.
  std::string collective = "ring";
  /// The number of iterations in a row that do not wait for late workers, after which one iteration waits for
  /// all; 0: no iteration waits. The published code of solo has 32. Not negative.
  std::int64_t limiter = 0;
  LateGradients late_gradients = LateGradients::accumulate;
  /// τ: every τ-th iteration ends with an average of all workers' models; 0: none does. Not negative.
  std::int64_t model_sync_iterations = 0;
  /// A bucket closes with the tensor that brings it to this many bytes; 0: one operation per tensor, as
  /// published. Not negative.
  double bucket_bytes = 0;
  /// Whether operations run one after the other, as published; else concurrently.
  bool serialized = true;
  /// The time of each call of an operation: copies, locks, waking up the communication thread. Not negative.
  double operation_cost_s = 0;
};

/// Who starts a version of all operations, the same on all workers: the first worker to call it (solo) or a
/// rank drawn from `seed` (majority). If the limiter is l > 0, version l and every (l + 1)-th after it wait
/// for everyone.
VersionStart eager_start(const EagerOptions& options, int workers, std::int64_t version, std::uint64_t seed);

/// eager-SGD: the sum of all workers' gradients is a partial collective, so no worker waits for a late one.
///
/// For every bucket, in every iteration: sendbuf += gradient; result = the bucket's partial all-reduce
/// (recursive doubling over all P workers), which returns at once if this version has already run; w ← w +
/// U(result / P). A late gradient stays in sendbuf and is sent with the next one. The divisor is always P. A
/// worker that is k versions late returns at once k times and reads the newest result each time, so replicas
/// drift apart until a model synchronization.
///
/// In majority, all operations of an iteration have the same initiator. Adding to sendbuf takes no time; the
/// sums of the collective take γ.
/// Reference: Li, Ben-Nun, Di Girolamo, Alistarh, Hoefler, "Taming unbalanced training workloads in deep
/// learning with partial collective operations", PPoPP 2020, arXiv 1908.04207.
class EagerSgd final : public TrainingAlgorithm {
 public:
  /// @throws std::invalid_argument for an option out of its range, or if the number of workers is not a power
  /// of two.
  EagerSgd(const EagerOptions& options, const Workload& workload, const CollectiveChoice& collective);

  void run(Worker& worker, Replica& replica, const TrainingJob& job) const override;
  TypicalTraffic typical_traffic(const Workload&) const override;
  std::vector<const Schedule*> configured_collectives() const override;

  const EagerOptions& options() const { return options_; }
  const std::vector<Bucket>& buckets() const { return buckets_; }
  /// The partial collectives of a job of `iterations` iterations. `seed` determines the initiators of
  /// majority.
  PartialCollectivePlan plan(std::int64_t iterations, std::uint64_t seed) const;
  /// Whether all models are averaged at the end of this iteration, by model_allreduce().
  bool synchronizes(std::int64_t iteration) const;
  const Schedule& model_allreduce() const { return *model_allreduce_; }

 private:
  void contribute(PartialCollectives& collectives, int operation, Buffer gradient) const;

  EagerOptions options_;
  int workers_;
  std::vector<Bucket> buckets_;
  std::vector<std::unique_ptr<Schedule>> allreduces_;  // one per bucket
  std::unique_ptr<Schedule> model_allreduce_;
};

std::int64_t pattern_period(const EagerOptions& options, const ClusterFacts& facts);
std::int64_t model_averaging_period(const EagerOptions& options);
void describe(EagerOptions& options, OptionVisitor& visitor);
std::unique_ptr<TrainingAlgorithm> make_algorithm(const EagerOptions& options, const Workload& workload,
                                                  const ClusterFacts& facts);

}  // namespace starling
