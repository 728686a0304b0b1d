#include "analysis/model/exact_runs.hpp"

#include <utility>
#include <vector>

#include "analysis/model/model_machine.hpp"
#include "analysis/model/recurrences.hpp"
#include "analysis/model/runtime_model.hpp"
#include "analysis/running/runner.hpp"

namespace starling {
namespace {

/// Whether every rank sends to one neighbor at most in the first iteration: messages to two share a link.
bool have_one_neighbor_each(const MixingSchedule& mixing) {
  std::vector<MixingNeighbor> neighbors;
  for (Rank rank = 0; rank < mixing.ranks(); ++rank) {
    mixing.find_out_neighbors(rank, 0, neighbors);
    if (neighbors.size() > 1) return false;
  }
  return true;
}

/// Whether what the recurrence treats in isolation competes for links only. It does not where a model may
/// hold up the answer to another one, nor where several collectives may meet at a worker's message processor
/// or, unless one of them is of control messages, at its reduction unit.
bool is_alone(const TrainingAlgorithm& algorithm, const ModeledNetwork& network) {
  const std::optional<bool> overlaps = recurrence_scope(algorithm).may_overlap;
  if (!overlaps) return !network.rules.keep_order;
  const bool reduces_alone =
      network.costs.reduction_s_per_byte == 0 || algorithm.has_control_beside_collectives();
  return !*overlaps || (network.costs.overhead_s == 0 && reduces_alone);
}

}  // namespace

bool ExactRuns::may_evaluate(const PreparedRun& run, const Routes& routes) const {
  if (routes.workers() == 1 || run.iterations == 0) return false;
  const RecurrenceScope scope = recurrence_scope(run.algorithm);
  if (scope.may_overlap) return true;
  // Workers of a host share its links.
  return scope.mixing != nullptr && routes.hosts() == routes.workers() &&
         have_one_neighbor_each(*scope.mixing);
}

std::optional<Outcome> ExactRuns::evaluate(const PreparedRun& run, const Scenario& scenario,
                                           const Routes& routes) const {
  const ModeledNetwork network = modeled_network(scenario, routes);
  if (!is_alone(run.algorithm, network)) return std::nullopt;
  Prediction prediction = predict(run, network, true);
  if (prediction.validity != ModelValidity::exact || prediction.has_ties) return std::nullopt;
  Outcome outcome(routes.workers());
  outcome.log = std::move(prediction.log);
  outcome.participation = std::move(prediction.participation);
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
