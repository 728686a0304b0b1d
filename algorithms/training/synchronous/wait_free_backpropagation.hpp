#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/training/shared/bucket.hpp"
#include "algorithms/training/shared/cluster_facts.hpp"
#include "algorithms/training/shared/training_algorithm.hpp"
#include "algorithms/training/shared/training_traits.hpp"
#include "base/options/option_visitor.hpp"

namespace starling {

/// All gradients in one all-reduce after the backward pass.
struct AllreduceOptions {
  static constexpr std::string_view kind = "allreduce";
  static constexpr TrainingTraits traits{.is_synchronous = true,
                                         .sends_after_backward = true,
                                         .sends_always_the_same = true,
                                         .uses_collective = true};
  std::string collective = "ring";
};

/// Wait-free backpropagation: one all-reduce per tensor, as soon as its gradient is ready.
struct WfbpOptions {
  static constexpr std::string_view kind = "wfbp";
  static constexpr TrainingTraits traits{
      .is_synchronous = true, .sends_always_the_same = true, .uses_collective = true};
  std::string collective = "ring";
};

/// PyTorch's DistributedDataParallel: buckets of tensors in reverse registration order.
struct DdpOptions {
  static constexpr std::string_view kind = "ddp";
  static constexpr TrainingTraits traits{
      .is_synchronous = true, .sends_always_the_same = true, .uses_collective = true};
  std::string collective = "ring";
  /// A bucket closes with the tensor that brings it to this many bytes. Above 0.
  double bucket_bytes = 25 * mebibyte;
  /// The same for the bucket that is sent first. Above 0.
  double first_bucket_bytes = mebibyte;
};

/// Merged-gradient wait-free backpropagation: layers are merged where that saves more start-up time than
/// waiting costs.
struct MgWfbpOptions {
  static constexpr std::string_view kind = "mg_wfbp";
  static constexpr TrainingTraits traits{
      .is_synchronous = true, .sends_always_the_same = true, .uses_collective = true};
  std::string collective = "ring";
  /// What merging takes an all-reduce to cost, as released programs have it in a table: a start-up of at
  /// least 0 and a bandwidth above 0, given together. Left out: the collective's own cost on this cluster.
  std::optional<double> planned_start_up_s = std::nullopt;
  std::optional<double> planned_bandwidth_Bps = std::nullopt;
};

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
  /// `buckets` in the order of the backward pass; `planned` is what an all-reduce was taken to cost where
  /// that decided on them and no option gives it: choices() tells it.
  WaitFreeBackpropagation(const Workload& workload, std::vector<Bucket> buckets,
                          const CollectiveChoice& collective, std::optional<AllreduceTime> planned = {});

  void run(Worker& worker, Replica& replica, const TrainingJob& job) const override;
  /// The all-reduces of the buckets.
  std::vector<const Schedule*> only_traffic() const override;
  std::int64_t silent_period() const override { return 1; }
  std::vector<Choice> choices() const override;
  const std::vector<Bucket>& buckets() const { return buckets_; }

 private:
  std::vector<Bucket> buckets_;
  std::vector<std::unique_ptr<Schedule>> allreduces_;  // one per bucket
  std::optional<AllreduceTime> planned_;
};

void describe(AllreduceOptions& options, OptionVisitor& visitor);
std::unique_ptr<TrainingAlgorithm> make_algorithm(const AllreduceOptions& options, const Workload& workload,
                                                  const ClusterFacts& facts);
void describe(WfbpOptions& options, OptionVisitor& visitor);
std::unique_ptr<TrainingAlgorithm> make_algorithm(const WfbpOptions& options, const Workload& workload,
                                                  const ClusterFacts& facts);
void describe(DdpOptions& options, OptionVisitor& visitor);
std::unique_ptr<TrainingAlgorithm> make_algorithm(const DdpOptions& options, const Workload& workload,
                                                  const ClusterFacts& facts);
void describe(MgWfbpOptions& options, OptionVisitor& visitor);
std::unique_ptr<TrainingAlgorithm> make_algorithm(const MgWfbpOptions& options, const Workload& workload,
                                                  const ClusterFacts& facts);

}  // namespace starling
