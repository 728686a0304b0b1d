#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "algorithms/training/gossip/mixing_options.hpp"
#include "algorithms/training/gossip/pairing.hpp"
#include "algorithms/training/shared/cluster_facts.hpp"
#include "algorithms/training/shared/training_algorithm.hpp"
#include "algorithms/training/shared/training_traits.hpp"
#include "base/options/option_visitor.hpp"

namespace starling {

/// AD-PSGD: pairs of workers average beside the computation.
struct AdpsgdOptions {
  static constexpr std::string_view kind = "adpsgd";
  static constexpr TrainingTraits traits{};
  /// Pairs are edges of this graph: undirected, bipartite, connected, the same in all iterations. Left out:
  /// the published pairing. The weights mean nothing, a pair meets half-way.
  std::optional<MixingOptions> mixing = {};
  /// Of the partners drawn from that graph; the published pairing draws nothing.
  std::uint64_t seed = 0;
};

/// Asynchronous decentralized parallel SGD: a communication strand averages the worker's model with one
/// partner's at a time, while the main strand computes without ever waiting.
///
/// An iteration pulls the model, computes a gradient there, and adds its step to whatever the model is by
/// then: F + B + U. When iterations have ended since an active worker's last averaging began, its
/// communication strand asks the next partner: a notification and its model; the partner answers with its own
/// model, requests in the order they came, one after the other. Both then move half-way to the other's model
/// as it was sent, so an averaging is atomic and keeps the mean of all models whatever steps fall in between.
/// One takes 2(α + mβ) + 4β + mγ where nobody else is asking; iterations that end meanwhile share the next.
///
/// After its last averaging an active worker tells all its partners that it has finished; a passive one
/// serves until all have. Both come after the last iteration and belong to none. In the participation log an
/// averaging is an operation, in which the model that holds fewer iterations is older by the difference.
/// Reference: Lian, Zhang, Zhang, Liu, "Asynchronous decentralized parallel stochastic gradient descent",
/// ICML 2018.
class Adpsgd final : public TrainingAlgorithm {
 public:
  explicit Adpsgd(Pairing pairing);

  void run(Worker& worker, Replica& replica, const TrainingJob& job) const override;
  UsualTraffic usual_traffic(const Workload&) const override;

 private:
  class Run;

  Pairing pairing_;
};

void describe(AdpsgdOptions& options, OptionVisitor& visitor);
/// Over the edges of options.mixing, which must be bipartite, undirected and the same in all iterations;
/// where that is left out over the published pairing (an even number of workers, or 1).
std::unique_ptr<TrainingAlgorithm> make_algorithm(const AdpsgdOptions& options, const Workload& workload,
                                                  const ClusterFacts& facts);

}  // namespace starling
