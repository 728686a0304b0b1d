#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/training/gossip/mixing_options.hpp"
#include "algorithms/training/shared/cluster_facts.hpp"
#include "algorithms/training/shared/training_algorithm.hpp"
#include "algorithms/training/shared/training_traits.hpp"
#include "base/options/option_visitor.hpp"
#include "topologies/graphs/mixing_schedule.hpp"

namespace starling {

/// SlowMo: local SGD or SGP, with a momentum step of the averaged model after every τ-th iteration.
struct SlowMoOptions {
  static constexpr std::string_view kind = "slowmo";
  static constexpr TrainingTraits traits{
      .has_period = true, .has_averaging_period = true, .uses_collective = true};
  /// The all-reduce that averages models.
  std::string collective = "ring";
  /// τ: every τ-th iteration ends with a slow step. At least 1.
  int sync_period = 12;
  /// β, the momentum of the slow steps, in [0, 1). With 0 and a slow learning rate of 1, slow steps just take
  /// over the average.
  double momentum = 0.5;
  /// α, the learning rate of the slow steps. Above 0.
  double slow_learning_rate = 1;
  /// Whether slow steps use Nesterov momentum; then the momentum must be above 0.
  bool nesterov = false;
  /// Not set: iterations between averages make local steps. Set: they make SGP's steps over this graph, which
  /// must be connected and column-stochastic; the automatic rule is push_sum.
  std::optional<MixingOptions> mixing = {};
};

/// Slow momentum: τ steps of a base algorithm from x₀, then the exact average x̄ of all models, for which the
/// worker waits, and u ← βu + (x₀ − x̄)/γ; x₀ ← x₀ − αγu.
///
/// γ is the learning rate. It is constant here, so v = γu is stored instead: v ← βv + x₀ − x̄; x₀ ← x₀ − αv.
/// Workers begin with equal models and v = 0. Slow steps keep the state of the optimizer and take no time.
///
/// With nesterov, x₀ ← x₀ − α(βv + x₀ − x̄), with the new v. That is the outer step of DiLoCo, where β = 0.9,
/// α = 0.7, τ = 500, and the local steps are AdamW's.
///
/// With local steps, iterations t with (t+1) mod τ = 0 take F + B + U + T_AR(m), all others F + B + U. With a
/// graph, every iteration takes T of SGP more; push-sum restarts from every x₀, with all weights 1.
/// Reference: Wang, Tantia, Ballas, Rabbat, "SlowMo: Improving communication-efficient distributed SGD with
/// slow momentum", ICLR 2020, algorithm 1; Douillard et al., "DiLoCo: Distributed low-communication training
/// of language models", 2023, algorithm 1.
class SlowMo final : public TrainingAlgorithm {
 public:
  /// `mixing` must be column-stochastic; null: steps are local.
  SlowMo(const SlowMoOptions& options, const Workload& workload, const CollectiveChoice& collective,
         std::shared_ptr<const MixingSchedule> mixing);

  void run(Worker& worker, Replica& replica, const TrainingJob& job) const override;
  TypicalTraffic typical_traffic(const Workload&) const override;
  /// The all-reduce of the average if steps are local; else empty.
  std::vector<const Schedule*> sequential_collectives() const override;
  std::vector<const Schedule*> configured_collectives() const override { return {average_.get()}; }
  std::int64_t quiescent_period() const override;
  const SlowMoOptions& options() const { return options_; }
  /// Null if steps are local.
  const MixingSchedule* mixing() const { return mixing_.get(); }
  const Schedule& average() const { return *average_; }

 private:
  class Run;

  SlowMoOptions options_;
  std::shared_ptr<const MixingSchedule> mixing_;
  std::unique_ptr<const Schedule> average_;
};

std::int64_t pattern_period(const SlowMoOptions& options, const ClusterFacts& facts);
std::int64_t model_averaging_period(const SlowMoOptions& options);
void describe(SlowMoOptions& options, OptionVisitor& visitor);
std::unique_ptr<TrainingAlgorithm> make_algorithm(const SlowMoOptions& options, const Workload& workload,
                                                  const ClusterFacts& facts);

}  // namespace starling
