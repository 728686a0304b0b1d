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

/// ByteScheduler: tensors in partitions, those of the layer that is needed first go first.
struct ByteSchedulerOptions {
  static constexpr std::string_view kind = "bytescheduler";
  static constexpr TrainingTraits traits{.is_synchronous = true,
                                         .ends_before_its_messages = true,
                                         .forward_waits = true,
                                         .uses_collective = true};
  std::string collective = "ring";
  /// A tensor is cut into the fewest equal pieces that are no larger, or one element each. 4 MB (a million
  /// floats). Above 0, and not so small that the model would fall into more than a million pieces.
  double partition_bytes = 4e6;
  /// The next partition is handed over while those handed over and not yet complete are fewer bytes. 16 MB.
  /// Above 0.
  double credit_bytes = 16e6;
  /// How many of the partitions handed over are exchanged at the same time. Collectives of one communicator
  /// run one after the other, so 1 is what an all-reduce job does. At least 1.
  int streams = 1;
  /// What the program's own threads add to the computing of an iteration, evenly over the forward pass: a
  /// poller that never sleeps, and a lock for every tensor, beside the thread that launches kernels. Not
  /// negative.
  double host_time_s = 0;
};

/// A piece of a tensor that is exchanged by itself.
struct Partition {
  int layer = 0;
  /// In the flat gradient.
  std::int64_t offset = 0;
  std::int64_t count = 0;
};

/// All partitions in the order in which the forward pass needs them: every tensor in the fewest equal pieces
/// (up to one element) of at most partition_bytes, or one element each where one is more than that.
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
/// A layer is updated just before its forward pass, which takes its share of `host_time` more. An iteration
/// ends with its backward pass; the exchanges and updates left by the last iteration come after it and belong
/// to no iteration. Reference: Peng, Zhu, Chen, Bao, Yi, Lan, Wu, Guo, "A generic communication scheduler for
/// distributed DNN training acceleration", SOSP 2019.
class ByteScheduler final : public TrainingAlgorithm {
 public:
  ByteScheduler(const ByteSchedulerOptions& options, const Workload& workload,
                const CollectiveChoice& collective);

  void run(Worker& worker, Replica& replica, const TrainingJob& job) const override;
  bool has_control_beside_collectives() const override { return options_.streams == 1; }
  UsualTraffic usual_traffic(const Workload&) const override;
  std::vector<const Schedule*> optional_collectives() const override { return pointers_to(allreduces_); }

  const ByteSchedulerOptions& options() const { return options_; }
  const std::vector<Partition>& partitions() const { return partitions_; }
  /// Of every layer, and the end.
  const std::vector<int>& first_partitions() const { return first_partition_; }
  const std::vector<int>& first_tensors() const { return first_tensor_; }
  const Schedule& allreduce(int partition) const { return *allreduces_[static_cast<std::size_t>(partition)]; }
  const Schedule& announcement() const { return *announcement_; }

 private:
  class Run;

  ByteSchedulerOptions options_;
  std::vector<Partition> partitions_;
  std::vector<int> first_partition_;                   // of every layer, and the end
  std::vector<int> first_tensor_;                      // of every layer, and the end
  std::vector<std::unique_ptr<Schedule>> allreduces_;  // one per partition
  std::unique_ptr<Schedule> announcement_;
};

void describe(ByteSchedulerOptions& options, OptionVisitor& visitor);
std::unique_ptr<TrainingAlgorithm> make_algorithm(const ByteSchedulerOptions& options,
                                                  const Workload& workload, const ClusterFacts& facts);

}  // namespace starling
