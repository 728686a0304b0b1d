#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "algorithms/training/gossip/backward_exchange.hpp"
#include "algorithms/training/gossip/host_sharing.hpp"
#include "algorithms/training/gossip/mixing_options.hpp"
#include "algorithms/training/shared/cluster_facts.hpp"
#include "algorithms/training/shared/training_algorithm.hpp"
#include "algorithms/training/shared/training_traits.hpp"
#include "base/options/option_visitor.hpp"
#include "topologies/graphs/mixing_schedule.hpp"

namespace starling {

/// SGP, stochastic gradient push: push-sum over a directed graph.
struct SgpOptions {
  static constexpr std::string_view kind = "sgp";
  static constexpr TrainingTraits traits{.has_period = true, .has_mixing_matrix = true, .has_overlap = true};
  /// Must be connected, and column-stochastic; a rule left automatic is push_sum. Left out: the directed
  /// exponential graph.
  std::optional<MixingOptions> mixing = {};
  /// n: to how many a worker of the directed exponential graph sends in one exchange, at most as many as
  /// there are powers of two below P.
  int neighbors = 1;
  /// τ: messages travel for τ iterations, and are sent in every τ-th; 0: the iteration that sends them waits
  /// for them. At least 0.
  int overlap = 0;
  /// Not set: models are pushed as one, after the step. Set: as in ModelBuckets; only with overlap 0.
  ModelBuckets bucket_bytes = {};
  /// The workers of a host share one model, as in the released program: they sum gradients by a ring after
  /// the backward pass, each host's first worker pushes, and hands the model down a chain. The graph is one
  /// of hosts.
  bool per_host = false;
};

/// Stochastic gradient push: SGD on push-sum. The gradient is taken at z = x/w, the step is made on x, then
/// (x, w) is pushed.
///
/// overlap 0: iteration t is exchange t and waits for its messages: F + B + U + T, where T is what
/// NeighborAveraging takes for as many neighbors and one element more.
/// overlap τ ≥ 1: iteration t with t mod τ = 0 first adds what was sent in iteration t − τ, then pushes
/// exchange t/τ and goes on: max(F + B + U, what is left of the messages' time). What the last exchange sent
/// is added after the last iteration and belongs to none. Afterwards the replica holds z.
/// In buckets, each with a weight of its own, (x, w) is pushed beside the backward pass, and the step is made
/// on what arrived: at least F + B + T(last bucket) + U.
/// per_host: on top, in every iteration, HostSharing's sum after B and its share after the exchange. A host
/// weighs as many workers as it has, so that all count alike; the released program has as many on each.
/// Reference: Assran, Loizou, Ballas, Rabbat, "Stochastic gradient push for distributed deep learning", ICML
/// 2019, algorithms 1 and 2.
class Sgp final : public TrainingAlgorithm {
 public:
  /// `mixing` is column-stochastic; iteration k of it is exchange k.
  /// With `hosts` it is one of HostMixing.
  Sgp(const SgpOptions& options, std::shared_ptr<const MixingSchedule> mixing,
      std::unique_ptr<const HostSharing> hosts = nullptr);

  void run(Worker& worker, Replica& replica, const TrainingJob& job) const override;
  UsualTraffic usual_traffic(const Workload& workload) const override;
  std::int64_t silent_period() const override { return options_.overlap > 0 ? 0 : mixing_->period(); }
  const SgpOptions& options() const { return options_; }
  const MixingSchedule& mixing() const { return *mixing_; }
  /// Null: every worker has a model of its own.
  const HostSharing* hosts() const { return hosts_.get(); }

 private:
  class Run;

  SgpOptions options_;
  std::shared_ptr<const MixingSchedule> mixing_;
  std::unique_ptr<const HostSharing> hosts_;  // null: every worker has a model of its own
};

/// Connected and column-stochastic. Left out, the directed exponential graph: with n = options.neighbors,
/// exchange k goes to the n workers at distances 2^((kn + j) mod ⌈log₂P⌉), j = 0 … n−1, each of which gets
/// 1/(n+1).
MixingMatrix mixing_matrix_of(const SgpOptions& options, const ClusterFacts& facts);
std::int64_t pattern_period(const SgpOptions& options, const ClusterFacts& facts);
void describe(SgpOptions& options, OptionVisitor& visitor);
std::unique_ptr<TrainingAlgorithm> make_algorithm(const SgpOptions& options, const Workload& workload,
                                                  const ClusterFacts& facts);

}  // namespace starling
