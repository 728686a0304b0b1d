#include "analysis/explanation/run_explainer.hpp"

#include <algorithm>

#include "algorithms/training/gossip/dpsgd.hpp"
#include "algorithms/training/gossip/local_sgd.hpp"
#include "algorithms/training/gossip/sgp.hpp"
#include "analysis/explanation/waiting.hpp"
#include "analysis/model/runtime_model.hpp"
#include "analysis/running/free_run.hpp"
#include "analysis/running/run_facts.hpp"
#include "io/json/json_text.hpp"

namespace starling {
namespace {

using Json = nlohmann::ordered_json;

/// Whether the slowest worker of each iteration is not enough to tell how long others wait for slower ones.
/// It is not where workers do not all wait for each other, nor where they do so in the midst of an iteration,
/// too: there another worker may be the last than at the end, unless workers differ by delays alone, or by
/// the same factor throughout.
bool is_uneven(const ScenarioJob& job, std::size_t index) {
  const TrainingTraits& traits = job.options(index).traits();
  const std::vector<Imbalance>& causes = job.scenario().imbalance;
  if (!traits.is_synchronous) return !causes.empty();
  return traits.waits_within_iteration && std::ranges::any_of(causes, &CauseNature::may_delay, nature_of) &&
         std::ranges::any_of(causes, &CauseNature::may_slow, nature_of);
}

/// For whom the algorithm's workers wait, without the graph; absent where that depends on time.
std::optional<WaitingPattern> pattern_of(const TrainingOptions& options) {
  if (const auto* dpsgd = options.get_if<DpsgdOptions>(); dpsgd != nullptr && !dpsgd->bucket_bytes)
    return WaitingPattern{.send_point = dpsgd->overlap ? SendPoint::at_begin : SendPoint::when_ready};
  if (const auto* sgp = options.get_if<SgpOptions>();
      sgp != nullptr && !sgp->bucket_bytes && sgp->overlap == 0 && !sgp->per_host)
    return WaitingPattern{.send_point = SendPoint::after_update};
  if (const auto* local = options.get_if<LocalSgdOptions>(); local != nullptr)
    return WaitingPattern{.send_point = local->bucket_bytes ? SendPoint::when_ready : SendPoint::after_update,
                          .period = local->sync_period};
  return std::nullopt;
}

bool needs_another_run(const ScenarioJob& job, std::size_t index) {
  if (!is_uneven(job, index)) return false;
  // Records slowed down by communication do not tell the times without it, nor does a model.
  if (job.scenario().workload.communication_slowdown > 0) return true;
  return !pattern_of(job.options(index)) && reason_without_model(job.run(index).algorithm);
}

void attribute_synchronous(const TrainingTraits& traits, IterationLog& log) {
  if (traits.forward_waits)
    attribute_waiting_for_iteration_before(log);
  else if (traits.is_synchronous)
    attribute_waiting(log);
}

/// Whether a whole model, with SGP's weight, is sent by rendezvous.
bool does_model_wait(const ScenarioJob& job, std::size_t index) {
  const std::int64_t weights = job.options(index).get_if<SgpOptions>() != nullptr ? 1 : 0;
  const Workload& workload = job.run(index).workload;
  return static_cast<double>(workload.parameters() + weights) * workload.bytes_per_element >
         job.scenario().message_costs.eager_threshold_bytes;
}

void attribute_by_pattern(const ScenarioJob& job, std::size_t index, IterationLog& log) {
  WaitingPattern pattern = *pattern_of(job.options(index));
  pattern.waits_for_receivers = does_model_wait(job, index);
  const std::optional<MixingMatrix> matrix = job.options(index).mixing_matrix(job.facts());
  if (matrix) pattern.graph = &matrix->graph();
  attribute_waiting(log, pattern);
}

/// The log of an algorithm on a free network, by its recurrence, with the same loads: the counterpart of
/// free_run(). The algorithm must have a recurrence.
IterationLog free_prediction(const ScenarioJob& job, std::size_t index) {
  const Network network = free_network(job.workers());
  const MessageCosts costs = free_costs(job.scenario().message_costs);
  return predict(FreeAlgorithm(job, index).run(), {.routes = network, .costs = costs, .rules = {}}).log;
}

/// Notes the spectral gap of the options' graph, if they have one; null where it takes too long to compute.
void note_spectral_gap(const TrainingOptions& options, const ClusterFacts& facts, Json& algorithm) {
  if (!options.traits().has_mixing_matrix) return;
  const GapFacts gap = gap_facts(options, facts);
  algorithm[spectral_gap_per_iteration_key] = or_null(gap.per_iteration);
  algorithm[spectral_gap_key] = or_null(gap.per_period);
}

}  // namespace

std::int64_t RunExplainer::iterations(const ScenarioJob& job, std::size_t index) const {
  return needs_another_run(job, index) ? job.iterations(index) : 0;
}

bool RunExplainer::keeps_another_log(const ScenarioJob& job, std::size_t index) const {
  return needs_another_run(job, index) || (is_uneven(job, index) && !pattern_of(job.options(index)));
}

std::uint64_t RunExplainer::explain(const ScenarioJob& job, std::size_t index, IterationLog& log,
                                    RunResult& result) {
  note_spectral_gap(job.options(index), job.facts(), result.algorithm);
  attribute_synchronous(job.options(index).traits(), log);
  if (!is_uneven(job, index)) return 0;
  if (needs_another_run(job, index)) {
    const Outcome free = free_run(job, index, progress_);
    attribute_waiting(log, free.log);
    return free.statistics.events;
  }
  if (pattern_of(job.options(index)))
    attribute_by_pattern(job, index, log);
  else
    attribute_waiting(log, free_prediction(job, index));
  return 0;
}

}  // namespace starling
