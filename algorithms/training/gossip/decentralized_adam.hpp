#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/collectives/schedules/grouped_schedule.hpp"
#include "algorithms/training/gossip/averaging_groups.hpp"
#include "algorithms/training/shared/bucket.hpp"
#include "algorithms/training/shared/cluster_facts.hpp"
#include "algorithms/training/shared/training_algorithm.hpp"
#include "algorithms/training/shared/training_traits.hpp"
#include "base/options/option_visitor.hpp"
#include "topologies/graphs/mixing_matrix.hpp"

namespace starling {

/// Decentralized averaging in which messages are given the time of a whole iteration to arrive.
struct DecentralizedAdamOptions {
  static constexpr std::string_view kind = "decentralized_adam";
  static constexpr TrainingTraits traits{
      .has_period = true, .has_mixing_matrix = true, .has_overlap = true, .uses_collective = true};
  /// The all-reduce within a group. Hierarchical falls back to a ring where a group lies on one host or does
  /// not use all workers of its hosts.
  std::string collective = "ring";
  /// The graph that groups workers: complete, one_peer_ring (P even), one_peer_exponential (P a power of two)
  /// or alternating_exponential_ring (the number of hosts a power of two, at least 2, with equally many
  /// workers each).
  std::string graph = "alternating_exponential_ring";
  /// A bucket closes with the tensor that brings it to this many bytes. At least 1.
  double bucket_bytes = 25 * mebibyte;
  /// Whether averages are computed during the next iteration. If not, an iteration ends when all averages
  /// that it started are complete.
  bool overlap = true;
};

/// Decentralized averaging with overlap, "communicate while adapting": x_i(t+1) = Σ_j w_ij·x_j(t) −
/// step(gradient at x_i(t)), where w_ij = 1/|G| in i's group G of iteration t.
///
/// When the gradient of bucket b is ready in iteration s, a worker waits for the sum of the bucket over its
/// group G(s), replaces its bucket by the mean, makes the optimizer's step on it, and starts the all-reduce
/// of the bucket over its group G(s+1). So every message has the time of an iteration:
///   D(i,s,0) = D(i,s−1,B) + f(i,s);  D(i,s,b) = max(D(i,s,b−1) + c(i,s,b), C(G,b,s)) + u(b)
///   C(G,b,s) = max(max over j in G of D(j,s−1,b), end of the group's preceding collective) + τ(b,G)
/// with f the forward pass, c the backward pass of a bucket, u its update, τ the all-reduce, and D(i,s,B) the
/// end of the iteration. Nothing is averaged in iteration 0, as workers begin with equal models. With
/// `overlap` the last iteration starts no all-reduces, as no iteration follows. Without `overlap` every
/// iteration, the last one included, starts them and ends when they are complete. Collectives of the same
/// group run one after the other. Those of a worker's different groups may run at the same time and then
/// share its links. Reference: Wang, Zhang, Wu, Johansson, "From promise to practice: realizing
/// high-performance decentralized training", ICLR 2025, arXiv 2410.11998.
class DecentralizedAdam final : public TrainingAlgorithm {
 public:
  /// @throws std::invalid_argument if the graph does not fit the cluster.
  DecentralizedAdam(const DecentralizedAdamOptions& options, const Workload& workload,
                    const ClusterFacts& facts);

  void run(Worker& worker, Replica& replica, const TrainingJob& job) const override;
  TypicalTraffic typical_traffic(const Workload&) const override;
  std::vector<const Schedule*> configured_collectives() const override;
  std::int64_t quiescent_period() const override {
    return options_.overlap ? 0 : static_cast<std::int64_t>(groups_.size());
  }

  const DecentralizedAdamOptions& options() const { return options_; }
  const std::vector<Bucket>& buckets() const { return buckets_; }
  /// The groups of an iteration, and the schedule that sums a bucket in each of them.
  const RankPartition& groups(std::int64_t iteration) const { return groups_[phase(iteration)]; }
  const Schedule& allreduce(std::int64_t iteration, std::size_t bucket) const {
    return *allreduces_[phase(iteration)][bucket];
  }

 private:
  class Run;

  /// One schedule of all workers that sums `count` elements in each group of the partition.
  std::unique_ptr<GroupedSchedule> make_schedule(const RankPartition& partition, std::int64_t count);
  const Schedule& inner(std::span<const Rank> members, std::int64_t count);

  std::size_t phase(std::int64_t iteration) const {
    return static_cast<std::size_t>(iteration) % groups_.size();
  }

  DecentralizedAdamOptions options_;
  ClusterFacts facts_;
  double bytes_per_element_;
  AveragingGroups groups_;
  std::vector<Bucket> buckets_;
  struct InnerKey {
    int ranks;
    int hosts;
    std::int64_t count;
    auto operator<=>(const InnerKey&) const = default;
  };
  std::map<InnerKey, std::unique_ptr<Schedule>> inner_;
  std::vector<std::vector<std::unique_ptr<GroupedSchedule>>> allreduces_;  // by phase and bucket
};

MixingMatrix mixing_matrix_of(const DecentralizedAdamOptions& options, const ClusterFacts& facts);
std::int64_t pattern_period(const DecentralizedAdamOptions& options, const ClusterFacts& facts);
void describe(DecentralizedAdamOptions& options, OptionVisitor& visitor);
std::unique_ptr<TrainingAlgorithm> make_algorithm(const DecentralizedAdamOptions& options,
                                                  const Workload& workload, const ClusterFacts& facts);

}  // namespace starling
