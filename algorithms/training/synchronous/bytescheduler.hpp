#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/training/shared/cluster_facts.hpp"
#include "algorithms/training/shared/training_algorithm.hpp"
#include "algorithms/training/shared/training_traits.hpp"
#include "base/options/option_visitor.hpp"

namespace starling {

/// ByteScheduler: tensors are sent in partitions, first those that the next forward pass needs first.
struct ByteSchedulerOptions {
  static constexpr std::string_view kind = "bytescheduler";
  static constexpr TrainingTraits traits{.is_synchronous = true,
                                         .ends_before_its_messages = true,
                                         .forward_waits = true,
                                         .uses_collective = true};
  std::string collective = "ring";
  /// The largest partition, in bytes: a tensor is cut into the fewest equal pieces that are no larger, down
  /// to one element each. 4 MB is a million floats. At least 1024, and large enough that the model is cut
  /// into at most a million pieces.
  double partition_bytes = 4e6;
  /// The credit, in bytes: the next partition is handed over for exchange while those handed over and not yet
  /// complete are fewer bytes. At least 1.
  double credit_bytes = 16e6;
  /// The number of partitions that are exchanged at the same time. Collectives of one communicator run one
  /// after the other, so 1 is what an all-reduce job does. At least 1.
  int streams = 1;
  /// The time that ByteScheduler's own threads add to the forward pass of an iteration, spread evenly over
  /// the layers: a poller that never sleeps, and a lock for every tensor, beside the thread that launches
  /// kernels. Not negative.
  double host_time_s = 0;
};

/// A piece of a tensor that is exchanged on its own.
struct Partition {
  int layer = 0;
  /// The first element, counted in the flat gradient of the model.
  std::int64_t offset = 0;
  std::int64_t count = 0;
};

/// All partitions in the order in which the forward pass needs them. Every tensor is cut into the fewest
/// pieces of at most partition_bytes, equal up to one element; into single elements if one is larger than
/// that.
std::vector<Partition> partitions_of(const Workload& workload, double partition_bytes);

/// ByteScheduler: tensors are exchanged in partitions, of which the one that the next forward pass needs
/// first goes first. The forward pass of a layer waits only for the layer's own tensors.
///
/// Rank 0 decides the order, as in the released program. Whenever fewer than `credit_bytes` are handed over
/// and not yet complete, it takes the most urgent partition that is ready on rank 0 and announces its number
/// to all others along a binomial tree (4 bytes, ⌈log₂P⌉α). Every worker exchanges partitions in that order,
/// each as soon as it is ready there, too. A partition that was handed over cannot be overtaken any more: a
/// large credit hides the announcements, a small one lets urgent partitions pass sooner.
///
/// A layer is updated just before its forward pass, which takes the layer's share of `host_time` longer. An
/// iteration ends with its backward pass. The exchanges and updates that the last iteration leaves are done
/// after its end and belong to no iteration. Reference: Peng, Zhu, Chen, Bao, Yi, Lan, Wu, Guo, "A generic
/// communication scheduler for distributed DNN training acceleration", SOSP 2019.
class ByteScheduler final : public TrainingAlgorithm {
 public:
  ByteScheduler(const ByteSchedulerOptions& options, const Workload& workload,
                const CollectiveChoice& collective);

  void run(Worker& worker, Replica& replica, const TrainingJob& job) const override;
  bool has_control_beside_collectives() const override { return options_.streams == 1; }
  TypicalTraffic typical_traffic(const Workload&) const override;
  std::vector<const Schedule*> configured_collectives() const override { return pointers_to(allreduces_); }

  const ByteSchedulerOptions& options() const { return options_; }
  const std::vector<Partition>& partitions() const { return partitions_; }
  /// The first partition of every layer, then the number of partitions; tensors likewise.
  const std::vector<int>& first_partitions() const { return first_partition_; }
  const std::vector<int>& first_tensors() const { return first_tensor_; }
  const Schedule& allreduce(int partition) const { return *allreduces_[static_cast<std::size_t>(partition)]; }
  const Schedule& announcement() const { return *announcement_; }

 private:
  class Run;

  ByteSchedulerOptions options_;
  std::vector<Partition> partitions_;
  std::vector<int> first_partition_;                   // of every layer, then their number
  std::vector<int> first_tensor_;                      // of every layer, then their number
  std::vector<std::unique_ptr<Schedule>> allreduces_;  // one per partition
  std::unique_ptr<Schedule> announcement_;
};

void describe(ByteSchedulerOptions& options, OptionVisitor& visitor);
std::unique_ptr<TrainingAlgorithm> make_algorithm(const ByteSchedulerOptions& options,
                                                  const Workload& workload, const ClusterFacts& facts);

}  // namespace starling
