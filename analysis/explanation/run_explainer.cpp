#include "analysis/explanation/run_explainer.hpp"

#include <stdexcept>

#include "analysis/explanation/waiting.hpp"
#include "analysis/running/simulated_machine.hpp"
#include "sim/networks/event_network.hpp"
#include "topologies/graphs/spectral_gap.hpp"

namespace starling {
namespace {

using Json = nlohmann::ordered_json;

/// The same workers on a network whose messages take no time (or less than a nanosecond).
Network free_network(const Network& network) {
  constexpr LinkOptions free_link{.bandwidth_Bps = 1e18, .latency_s = 0};
  return build_network({.workers = network.workers(), .network = {.kind = StarOptions{.link = free_link}}});
}

bool needs_another_run(const ScenarioJob& job, std::size_t index) {
  return !is_synchronous(job.options(index)) && !job.scenario().imbalance.empty();
}

Outcome without_communication(const ScenarioJob& job, std::size_t index, ProgressLine* progress) {
  const Network network = free_network(job.network());
  EventNetwork model(network);
  PreparedRun run = job.run(index);
  run.load = counted(run.load, progress);
  return simulate_run(run, network, model, {});
}

// Beyond this many workers the spectral gap would take longer than many runs.
constexpr int most_workers_with_spectral_gap = 1024;

/// Notes the spectral gap of the options' graph, if they have one; null where it takes too long to compute.
void note_spectral_gap(const TrainingOptions& options, const ClusterFacts& facts, Json& algorithm) {
  if (!options.has_mixing_matrix()) return;
  algorithm["spectral_gap"] = algorithm["spectral_gap_per_iteration"] = nullptr;
  if (facts.workers > most_workers_with_spectral_gap) return;
  try {
    const MixingMatrix matrix = *options.mixing_matrix(facts);
    const double gap = spectral_gap(matrix);
    algorithm["spectral_gap"] = gap;
    algorithm["spectral_gap_per_iteration"] = spectral_gap_per_iteration(gap, matrix.graph().period());
  } catch (const std::runtime_error&) {  // no convergence
  }
}

}  // namespace

std::int64_t RunExplainer::iterations(const ScenarioJob& job, std::size_t index) const {
  return needs_another_run(job, index) ? job.scenario().iterations : 0;
}

std::uint64_t RunExplainer::explain(const ScenarioJob& job, std::size_t index, IterationLog& log,
                                    RunResult& result) {
  note_spectral_gap(job.options(index), job.facts(), result.algorithm);
  if (is_synchronous(job.options(index))) attribute_waiting(log);
  if (!needs_another_run(job, index)) return 0;
  const Outcome free = without_communication(job, index, progress_);
  attribute_waiting(log, free.log);
  return free.statistics.events;
}

}  // namespace starling
