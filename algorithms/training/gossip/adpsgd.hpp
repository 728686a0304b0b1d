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

/// AD-PSGD: pairs of workers average their models concurrently with the computation.
struct AdpsgdOptions {
  static constexpr std::string_view kind = "adpsgd";
  static constexpr TrainingTraits traits{};
  /// The graph whose edges are the pairs: undirected, bipartite, connected, and the same in all iterations.
  /// Not set: the published pairing. Its weights have no effect, as both models of a pair move half-way to
  /// each other.
  std::optional<MixingOptions> mixing = {};
  /// Seed of the draws of partners in `mixing`; the published pairing draws none.
  std::uint64_t seed = 0;
};

/// Asynchronous decentralized parallel SGD: a communication strand averages the worker's model with one
/// partner's at a time, while the main strand computes and never waits.
///
/// An iteration copies the model, computes a gradient at the copy, and adds the resulting step to the current
/// model, which averagings may have changed meanwhile: F + B + U. Workers are active or passive. An active
/// worker's communication strand begins an averaging when an iteration has ended since its last one began: it
/// sends the next partner a notification and its model. The partner answers requests in the order of arrival,
/// one after the other, with its own model. Both then move half-way towards the other's model as it was sent.
/// An averaging is thus atomic and preserves the mean of all models, whatever steps are made in between. It
/// takes 2(α + mβ) + 4β + mγ where no other worker is asking that partner; iterations that end during an
/// averaging share the next one.
///
/// After its last averaging an active worker notifies all its partners that it has finished; a passive one
/// answers until all of its askers have. Both happen after the last iteration and count for none. In the
/// participation log an averaging is one operation, and the contribution of the worker that has ended fewer
/// iterations is older by the difference.
/// Reference: Lian, Zhang, Zhang, Liu, "Asynchronous decentralized parallel stochastic gradient descent",
/// ICML 2018.
class Adpsgd final : public TrainingAlgorithm {
 public:
  explicit Adpsgd(Pairing pairing);

  void run(Worker& worker, Replica& replica, const TrainingJob& job) const override;
  TypicalTraffic typical_traffic(const Workload&) const override;

 private:
  class Run;

  Pairing pairing_;
};

void describe(AdpsgdOptions& options, OptionVisitor& visitor);
/// Averages over the edges of options.mixing; if that is not set, over the published pairing, which needs an
/// even number of workers or a single one.
/// @throws std::invalid_argument if options.mixing is directed, not bipartite, or changes with the
/// iterations.
std::unique_ptr<TrainingAlgorithm> make_algorithm(const AdpsgdOptions& options, const Workload& workload,
                                                  const ClusterFacts& facts);

}  // namespace starling
