#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "algorithms/training/gossip/backward_exchange.hpp"
#include "algorithms/training/gossip/host_sharing.hpp"
#include "algorithms/training/gossip/mixing_options.hpp"
#include "algorithms/training/shared/cluster_facts.hpp"
#include "algorithms/training/shared/option_warning.hpp"
#include "algorithms/training/shared/training_algorithm.hpp"
#include "algorithms/training/shared/training_traits.hpp"
#include "base/options/option_visitor.hpp"
#include "topologies/graphs/mixing_schedule.hpp"

namespace starling {

/// SGP, stochastic gradient push: push-sum over a directed graph.
struct SgpOptions {
  static constexpr std::string_view kind = "sgp";
  static constexpr TrainingTraits traits{
      .has_period = true, .has_mixing_matrix = true, .has_overlap = true, .has_option_warnings = true};
  /// The communication graph and its weights: connected and column-stochastic; the automatic rule is
  /// push_sum. Not set: the directed exponential graph.
  std::optional<MixingOptions> mixing = {};
  /// n: the number of neighbors to which a worker of the directed exponential graph sends in one exchange, at
  /// most the number of powers of two below P. Has no meaning beside `mixing`.
  int neighbors = 1;
  /// τ: exchanges take place in every τ-th iteration, and their messages are added τ iterations later; 0: in
  /// every iteration, which waits for its messages. At least 0.
  int overlap = 0;
  /// Not set: the model is pushed as a whole, after the step. Set: as in ModelBuckets; only with overlap 0.
  ModelBuckets bucket_bytes = {};
  /// Whether the workers of a host share one model, as in the released program: they sum gradients by a ring
  /// after the backward pass; the first worker of the host pushes the model, and sends it to the others along
  /// a chain. The graph then joins hosts.
  bool per_host = false;
};

/// Stochastic gradient push: SGD on push-sum. The gradient is taken at z = x/w, the step is made on x, then
/// (x, w) is pushed.
///
/// - overlap 0: iteration t is exchange t and waits for its messages: F + B + U + T, where T is the time of
///   NeighborAveraging for as many neighbors and one element more.
/// - overlap τ ≥ 1: iteration t with t mod τ = 0 first adds what was sent in iteration t − τ, then pushes
///   exchange t/τ and goes on: max(F + B + U, the time that the messages still need). The messages of the
///   last exchange are added after the last iteration and count for none. At the end the replica holds z.
/// - In buckets, each with a weight of its own: (x, w) is pushed during the backward pass, and the step is
///   made on the result: at least F + B + T(last bucket) + U.
/// - per_host: in every iteration also HostSharing's sum after the backward pass, and its share after the
///   exchange. A host's weight is proportional to the number of its workers, so that all workers count alike;
///   the released program has equally many on each host.
///
/// Reference: Assran, Loizou, Ballas, Rabbat, "Stochastic gradient push for distributed deep learning", ICML
/// 2019, algorithms 1 and 2.
class Sgp final : public TrainingAlgorithm {
 public:
  /// `mixing` must be column-stochastic; its iteration k is exchange k. With `hosts` it must be a HostMixing.
  Sgp(const SgpOptions& options, std::shared_ptr<const MixingSchedule> mixing,
      std::unique_ptr<const HostSharing> hosts = nullptr);

  void run(Worker& worker, Replica& replica, const TrainingJob& job) const override;
  TypicalTraffic typical_traffic(const Workload& workload) const override;
  std::int64_t quiescent_period() const override { return options_.overlap > 0 ? 0 : mixing_->period(); }
  const SgpOptions& options() const { return options_; }
  const MixingSchedule& mixing() const { return *mixing_; }
  /// Null if every worker has a model of its own.
  const HostSharing* hosts() const { return hosts_.get(); }

 private:
  class Run;

  SgpOptions options_;
  std::shared_ptr<const MixingSchedule> mixing_;
  std::unique_ptr<const HostSharing> hosts_;  // null if every worker has a model of its own
};

/// The graph's weights. Without options.mixing the graph is the directed exponential one: with n =
/// options.neighbors, in exchange k a worker sends to the n workers at distances 2^((kn + j) mod ⌈log₂P⌉), j
/// = 0 … n−1, a share of 1/(n+1) each.
/// @throws std::invalid_argument if the weights are not connected or not column-stochastic, or n is too
/// large.
MixingMatrix mixing_matrix_of(const SgpOptions& options, const ClusterFacts& facts);
std::int64_t pattern_period(const SgpOptions& options, const ClusterFacts& facts);
/// Warns of messages that no iteration waits for, and of hosts with one worker that shares nothing.
std::vector<OptionWarning> option_warnings(const SgpOptions& options, const OptionConditions& conditions);
void describe(SgpOptions& options, OptionVisitor& visitor);
std::unique_ptr<TrainingAlgorithm> make_algorithm(const SgpOptions& options, const Workload& workload,
                                                  const ClusterFacts& facts);

}  // namespace starling
