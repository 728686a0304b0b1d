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

/// Decentralized averaging that communicates while it adapts: every message has an iteration's time.
struct DecentralizedAdamOptions {
  static constexpr std::string_view kind = "decentralized_adam";
  static constexpr TrainingTraits traits{
      .has_period = true, .has_mixing_matrix = true, .has_overlap = true, .uses_collective = true};
  /// Within a group; hierarchical is ring where a group lies on one host, or does not fill its hosts.
  std::string collective = "ring";
  /// complete, one_peer_ring (P even), one_peer_exponential (P a power of two) or
  /// alternating_exponential_ring (a power of two of hosts, at least 2, with equally many workers).
  std::string graph = "alternating_exponential_ring";
  /// A bucket closes with the tensor that brings it to this many bytes. Above 0.
  double bucket_bytes = 25 * mebibyte;
  /// Averages travel while the next iteration is computed; false: an iteration ends when those that it
  /// launched are complete.
  bool overlap = true;
};

/// Decentralized averaging that communicates while it adapts: x_i(t+1) = Σ_j w_ij·x_j(t) − step(gradient at
/// x_i(t)), where w_ij = 1/|G| in i's group G of iteration t.
///
/// When the gradient of bucket b is ready in iteration s, a worker waits for the bucket's sum over its group
/// G(s), mixes, makes the optimizer's step on the bucket, and launches the all-reduce of the bucket over its
/// group G(s+1). So every message has an iteration's time:
///   D(i,s,0) = D(i,s−1,B) + f(i,s);  D(i,s,b) = max(D(i,s,b−1) + c(i,s,b), C(G,b,s)) + u(b)
///   C(G,b,s) = max(max over j in G of D(j,s−1,b), end of the group's collective before) + τ(b,G)
/// with f forward, c backward of a bucket, u its update, τ the all-reduce, and D(i,s,B) the end of the
/// iteration. Nothing is mixed in iteration 0, as workers begin with equal models, and nothing is launched in
/// the last. Without `overlap` an iteration ends when what it launched is complete, the last one, too.
/// Collectives of one group follow each other; those of different groups of a worker may overlap, and then
/// share its links. Reference: Wang, Zhang, Wu, Johansson, "From promise to practice: realizing
/// high-performance decentralized training", ICLR 2025, arXiv 2410.11998.
class DecentralizedAdam final : public TrainingAlgorithm {
 public:
  /// @throws std::invalid_argument if the graph does not fit the cluster.
  DecentralizedAdam(const DecentralizedAdamOptions& options, const Workload& workload,
                    const ClusterFacts& facts);

  void run(Worker& worker, Replica& replica, const TrainingJob& job) const override;
  UsualTraffic usual_traffic(const Workload&) const override;
  std::vector<const Schedule*> optional_collectives() const override;
  std::int64_t silent_period() const override {
    return options_.overlap ? 0 : static_cast<std::int64_t>(groups_.size());
  }

  const DecentralizedAdamOptions& options() const { return options_; }
  const std::vector<Bucket>& buckets() const { return buckets_; }
  /// Who averages together in an iteration, and how they do so with a bucket.
  const RankPartition& groups(std::int64_t iteration) const { return groups_[phase(iteration)]; }
  const Schedule& allreduce(std::int64_t iteration, std::size_t bucket) const {
    return *allreduces_[phase(iteration)][bucket];
  }

 private:
  class Run;

  /// The all-reduces of bucket b in the groups of one iteration of the period.
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
