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

/// D-PSGD: every worker averages its model with its neighbors' in every iteration.
struct DpsgdOptions {
  static constexpr std::string_view kind = "dpsgd";
  static constexpr TrainingTraits traits{.has_period = true, .has_mixing_matrix = true, .has_overlap = true};
  /// Must be connected, and doubly stochastic.
  MixingOptions mixing = {};
  /// Models travel while the gradient is computed, at the model before averaging; false: after the backward
  /// pass.
  bool overlap = false;
  /// Not set: models are averaged as one. Set: as in ModelBuckets; not with overlap.
  ModelBuckets bucket_bytes = {};
};

/// Decentralized parallel SGD: x_i(t+1) = Σ_j w_ij·x_j(t) − step(gradient at x_i(t)).
///
/// A worker waits for its neighbors only, so workers may be as many iterations apart as there are edges
/// between them. With T the time of NeighborAveraging, an iteration takes F + B + T + U; with `overlap`
/// models leave as soon as the iteration before ended (also while a delay passes): max(F + B, T) + U. In
/// buckets, the last of which is ready with the backward pass, at least F + B + T(last bucket) + U.
/// Reference: Lian, Zhang, Zhang, Hsieh, Zhang, Liu, "Can decentralized algorithms outperform centralized
/// algorithms?", NeurIPS 2017, algorithm 1.
class Dpsgd final : public TrainingAlgorithm {
 public:
  /// `mixing` is a doubly stochastic schedule of all workers.
  Dpsgd(const DpsgdOptions& options, std::shared_ptr<const MixingSchedule> mixing);

  void run(Worker& worker, Replica& replica, const TrainingJob& job) const override;
  UsualTraffic usual_traffic(const Workload& workload) const override;
  std::int64_t silent_period() const override { return options_.overlap ? 0 : mixing_->period(); }
  const DpsgdOptions& options() const { return options_; }
  const MixingSchedule& mixing() const { return *mixing_; }

 private:
  class Run;

  DpsgdOptions options_;
  std::shared_ptr<const MixingSchedule> mixing_;
};

/// Who averages with whom, and with which weights: connected, doubly stochastic.
MixingMatrix mixing_matrix_of(const DpsgdOptions& options, const ClusterFacts& facts);
std::int64_t pattern_period(const DpsgdOptions& options, const ClusterFacts& facts);
void describe(DpsgdOptions& options, OptionVisitor& visitor);
std::unique_ptr<TrainingAlgorithm> make_algorithm(const DpsgdOptions& options, const Workload& workload,
                                                  const ClusterFacts& facts);

}  // namespace starling
