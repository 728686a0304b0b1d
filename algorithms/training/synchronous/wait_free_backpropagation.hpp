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
                                         .sends_same_every_iteration = true,
                                         .uses_collective = true};
  std::string collective = "ring";
};

/// Wait-free backpropagation: one all-reduce per tensor, as soon as its gradient is ready.
struct WfbpOptions {
  static constexpr std::string_view kind = "wfbp";
  static constexpr TrainingTraits traits{
      .is_synchronous = true, .sends_same_every_iteration = true, .uses_collective = true};
  std::string collective = "ring";
};

/// PyTorch's DistributedDataParallel: buckets of tensors in reverse registration order.
struct DdpOptions {
  static constexpr std::string_view kind = "ddp";
  static constexpr TrainingTraits traits{
      .is_synchronous = true, .sends_same_every_iteration = true, .uses_collective = true};
  std::string collective = "ring";
  /// A bucket closes with the tensor that brings it to this many bytes. At least 1.
  double bucket_bytes = 25 * mebibyte;
  /// The limit of the bucket that is sent first. At least 1.
  double first_bucket_bytes = mebibyte;
};

/// Merged-gradient wait-free backpropagation: the gradients of layers are merged where that saves more
/// start-up time than waiting costs.
struct MgWfbpOptions {
  static constexpr std::string_view kind = "mg_wfbp";
  static constexpr TrainingTraits traits{
      .is_synchronous = true, .sends_same_every_iteration = true, .uses_collective = true};
  std::string collective = "ring";
  /// The cost of an all-reduce that merging assumes, as released programs hold it in a table: a start-up of
  /// at least 0 and a bandwidth above 0, given together. Not set: the cost formula of the collective on this
  /// cluster.
  std::optional<double> planned_start_up_s = std::nullopt;
  std::optional<double> planned_bandwidth_Bps = std::nullopt;
};

/// Wait-free backpropagation: the all-reduce of a bucket is issued when its last gradient is ready and runs
/// during the rest of the backward pass, buckets strictly in order. When all are complete, everything is
/// updated.
///
/// The buckets determine the algorithm: a single one is plain all-reduce, one per tensor is WFBP,
/// ddp_buckets() is PyTorch's DistributedDataParallel, merged_buckets() is MG-WFBP. Bucket b ends at C(b) =
/// max(ready(b) of the last worker, C(b−1)) + T_AR(m_b). Reference: Zhang et al., "Poseidon: An efficient
/// communication architecture for distributed deep learning on GPU clusters", USENIX ATC 2017.
class WaitFreeBackpropagation final : public TrainingAlgorithm {
 public:
  /// `buckets` are in the order of the backward pass. `planned` is the cost of an all-reduce that determined
  /// them, where it was not given by an option; choices() returns it.
  WaitFreeBackpropagation(const Workload& workload, std::vector<Bucket> buckets,
                          const CollectiveChoice& collective, std::optional<AllreduceTime> planned = {});

  void run(Worker& worker, Replica& replica, const TrainingJob& job) const override;
  /// The all-reduces of the buckets.
  std::vector<const Schedule*> sequential_collectives() const override;
  std::int64_t quiescent_period() const override { return 1; }
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
