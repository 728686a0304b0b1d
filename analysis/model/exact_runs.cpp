#include "analysis/model/exact_runs.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "algorithms/training/gossip/dpsgd.hpp"
#include "algorithms/training/gossip/sgp.hpp"
#include "analysis/model/runtime_model.hpp"
#include "analysis/running/simulated_machine.hpp"

namespace starling {
namespace {

/// Who averages with whom; null if the algorithm has no recurrence that tells all of its run.
const MixingSchedule* mixing_of(const TrainingAlgorithm& algorithm) {
  if (const auto* dpsgd = dynamic_cast<const Dpsgd*>(&algorithm)) return &dpsgd->mixing();
  const auto* sgp = dynamic_cast<const Sgp*>(&algorithm);
  const bool is_whole = sgp != nullptr && sgp->hosts() == nullptr && sgp->options().overlap == 0;
  return is_whole ? &sgp->mixing() : nullptr;
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

double last_end_s(const IterationLog& log) {
  double end_s = 0;
  for (Rank rank = 0; rank < log.workers(); ++rank) end_s = std::max(end_s, log.of(rank).back().end_s);
  return end_s;
}

}  // namespace

bool ExactRuns::may_evaluate(const PreparedRun& run, const Routes& routes) const {
  const MixingSchedule* const mixing = mixing_of(run.algorithm);
  // Workers of a host share its links.
  return mixing != nullptr && routes.hosts() == routes.workers() && routes.workers() > 1 &&
         run.iterations > 0 && have_one_neighbor_each(*mixing);
}

std::optional<Outcome> ExactRuns::evaluate(const PreparedRun& run, const Scenario& scenario,
                                           const Routes& routes) const {
  const SmallMessageRules rules = small_message_rules(scenario);
  // A model may hold up the answer to another one there.
  if (rules.keep_order) return std::nullopt;
  Prediction prediction =
      predict(run, {.routes = routes, .costs = scenario.message_costs, .rules = rules}, true);
  if (prediction.validity != ModelValidity::exact) return std::nullopt;
  Outcome outcome(routes.workers());
  outcome.log = std::move(prediction.log);
  outcome.participation = std::move(*prediction.participation);
  outcome.statistics = prediction.statistics;
  outcome.participation.end_iterations(outcome.log);
  outcome.statistics.evaluated_messages = outcome.statistics.messages;
  outcome.statistics.makespan_s = last_end_s(outcome.log);
  return outcome;
}

}  // namespace starling
