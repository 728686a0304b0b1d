#include "analysis/explanation/run_explainer.hpp"

#include <optional>
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

/// The spectral gap of the options' graph, if they have one; null where it takes too long to compute.
std::optional<Json> spectral_gap_of(const TrainingOptions& options, const ClusterFacts& facts) {
  if (!options.has_mixing_matrix()) return std::nullopt;
  if (facts.workers > most_workers_with_spectral_gap) return Json(nullptr);
  try {
    return spectral_gap(*options.mixing_matrix(facts));
  } catch (const std::runtime_error&) {  // no convergence
    return Json(nullptr);
  }
}

}  // namespace

std::int64_t RunExplainer::iterations(const ScenarioJob& job, std::size_t index) const {
  return needs_another_run(job, index) ? job.scenario().iterations : 0;
}

std::uint64_t RunExplainer::explain(const ScenarioJob& job, std::size_t index, IterationLog& log,
                                    RunResult& result) {
  const auto gap = spectral_gap_of(job.options(index), job.facts());
  if (gap) result.algorithm["spectral_gap"] = *gap;
  if (is_synchronous(job.options(index))) attribute_waiting(log);
  if (!needs_another_run(job, index)) return 0;
  const Outcome free = without_communication(job, index, progress_);
  attribute_waiting(log, free.log);
  return free.statistics.events;
}

}  // namespace starling
