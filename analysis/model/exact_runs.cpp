#include "analysis/model/exact_runs.hpp"

#include <utility>
#include <vector>

#include "algorithms/training/gossip/decentralized_averaging.hpp"
#include "algorithms/training/gossip/dpsgd.hpp"
#include "algorithms/training/gossip/sgp.hpp"
#include "algorithms/training/partial/eager_sgd.hpp"
#include "algorithms/training/partial/wagma.hpp"
#include "algorithms/training/synchronous/bytescheduler.hpp"
#include "algorithms/training/synchronous/horovod.hpp"
#include "analysis/model/model_machine.hpp"
#include "analysis/model/runtime_model.hpp"
#include "analysis/running/runner.hpp"

namespace starling {
namespace {

/// Who averages with whom; null if the algorithm has no recurrence that tells all of its run.
const MixingSchedule* mixing_of(const TrainingAlgorithm& algorithm) {
  if (const auto* dpsgd = dynamic_cast<const Dpsgd*>(&algorithm)) return &dpsgd->mixing();
  const auto* sgp = dynamic_cast<const Sgp*>(&algorithm);
  const bool is_whole = sgp != nullptr && sgp->hosts() == nullptr && sgp->options().overlap == 0;
  return is_whole ? &sgp->mixing() : nullptr;
}

/// Whether a worker may be in several collectives at once, or nothing if collectives are not all it is in.
std::optional<bool> may_overlap(const TrainingAlgorithm& algorithm) {
  if (const auto* eager = dynamic_cast<const EagerSgd*>(&algorithm))
    return !eager->options().serialized || eager->options().model_sync_iterations > 0;
  if (const auto* wagma = dynamic_cast<const Wagma*>(&algorithm)) return !wagma->options().serialized;
  if (const auto* averaging = dynamic_cast<const DecentralizedAveraging*>(&algorithm))
    return averaging->options().overlap;
  if (dynamic_cast<const Horovod*>(&algorithm) || dynamic_cast<const ByteScheduler*>(&algorithm)) return true;
  return std::nullopt;
}

/// In the first iteration; those of two neighbors share a link.
bool have_one_neighbor_each(const MixingSchedule& mixing) {
  std::vector<MixingNeighbor> neighbors;
  for (Rank rank = 0; rank < mixing.ranks(); ++rank) {
    mixing.find_out_neighbors(rank, 0, neighbors);
    if (neighbors.size() > 1) return false;
  }
  return true;
}

/// Whether what the recurrence looks at by itself meets nothing else where it is not on a link: a model that
/// holds up the answer to another one, or the messages of another collective at a worker's message processor
/// or, unless they are control messages, its reduction unit.
bool is_alone(const TrainingAlgorithm& algorithm, const ModeledNetwork& network) {
  const std::optional<bool> overlaps = may_overlap(algorithm);
  if (!overlaps) return !network.rules.keep_order;
  const bool reduces_alone =
      network.costs.reduction_s_per_byte == 0 || algorithm.has_control_beside_collectives();
  return !*overlaps || (network.costs.overhead_s == 0 && reduces_alone);
}

}  // namespace

bool ExactRuns::may_evaluate(const PreparedRun& run, const Routes& routes) const {
  if (routes.workers() == 1 || run.iterations == 0) return false;
  if (may_overlap(run.algorithm)) return true;
  const MixingSchedule* const mixing = mixing_of(run.algorithm);
  // Workers of a host share its links.
  return mixing != nullptr && routes.hosts() == routes.workers() && have_one_neighbor_each(*mixing);
}

std::optional<Outcome> ExactRuns::evaluate(const PreparedRun& run, const Scenario& scenario,
                                           const Routes& routes) const {
  const ModeledNetwork network = modeled_network(scenario, routes);
  if (!is_alone(run.algorithm, network)) return std::nullopt;
  Prediction prediction = predict(run, network, true);
  if (prediction.validity != ModelValidity::exact || prediction.has_ties) return std::nullopt;
  Outcome outcome(routes.workers());
  outcome.log = std::move(prediction.log);
  outcome.participation = std::move(*prediction.participation);
  outcome.statistics = prediction.statistics;
  outcome.participation.end_iterations(outcome.log);
  outcome.statistics.evaluated_messages = outcome.statistics.messages;
  return outcome;
}

Result simulate_evaluated(const Scenario& scenario) {
  const ExactRuns exact_runs;
  return simulate(scenario, {.evaluator = &exact_runs});
}

}  // namespace starling
