#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "algorithms/training/gossip/backward_exchange.hpp"
#include "algorithms/training/gossip/mixing_options.hpp"
#include "algorithms/training/shared/cluster_facts.hpp"
#include "algorithms/training/shared/training_algorithm.hpp"
#include "algorithms/training/shared/training_traits.hpp"
#include "base/options/option_visitor.hpp"
#include "topologies/graphs/mixing_schedule.hpp"

namespace starling {

/// D-PSGD: every worker averages its model with its neighbors' models in every iteration.
struct DpsgdOptions {
  static constexpr std::string_view kind = "dpsgd";
  static constexpr TrainingTraits traits{.has_period = true, .has_mixing_matrix = true, .has_overlap = true};
  /// The communication graph and its weights: connected and doubly stochastic.
  MixingOptions mixing = {};
  /// Whether models are sent at the beginning of the iteration and averaged while the gradient is computed;
  /// false: after the backward pass.
  bool overlap = false;
  /// Not set: the model is averaged as a whole. Set: as in ModelBuckets; excludes `overlap`.
  ModelBuckets bucket_bytes = {};
};

/// Decentralized parallel SGD: x_i(t+1) = Σ_j w_ij·x_j(t) − step(gradient at x_i(t)).
///
/// A worker waits for its neighbors only, so two workers may be as many iterations apart as there are edges
/// between them. With T the time of NeighborAveraging, an iteration takes F + B + T + U. With `overlap`
/// models are sent as soon as the preceding iteration has ended, also during a delay of the worker: max(F +
/// B, T) + U. In buckets, the last of which is ready at the end of the backward pass, it takes at least F + B
/// + T(last bucket) + U.
/// Reference: Lian, Zhang, Zhang, Hsieh, Zhang, Liu, "Can decentralized algorithms outperform centralized
/// algorithms?", NeurIPS 2017, algorithm 1.
class Dpsgd final : public TrainingAlgorithm {
 public:
  /// `mixing` must be doubly stochastic, over all workers.
  Dpsgd(const DpsgdOptions& options, std::shared_ptr<const MixingSchedule> mixing);

  void run(Worker& worker, Replica& replica, const TrainingJob& job) const override;
  TypicalTraffic typical_traffic(const Workload& workload) const override;
  std::int64_t quiescent_period() const override { return options_.overlap ? 0 : mixing_->period(); }
  const DpsgdOptions& options() const { return options_; }
  const MixingSchedule& mixing() const { return *mixing_; }

 private:
  class Run;

  DpsgdOptions options_;
  std::shared_ptr<const MixingSchedule> mixing_;
};

/// The graph's weights. @throws std::invalid_argument if they are not connected or not doubly stochastic.
MixingMatrix mixing_matrix_of(const DpsgdOptions& options, const ClusterFacts& facts);
std::int64_t pattern_period(const DpsgdOptions& options, const ClusterFacts& facts);
void describe(DpsgdOptions& options, OptionVisitor& visitor);
std::unique_ptr<TrainingAlgorithm> make_algorithm(const DpsgdOptions& options, const Workload& workload,
                                                  const ClusterFacts& facts);

}  // namespace starling
