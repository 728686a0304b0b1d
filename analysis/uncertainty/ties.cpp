#include "analysis/uncertainty/ties.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/results/metrics.hpp"
#include "analysis/running/runner.hpp"
#include "analysis/running/simulated_machine.hpp"
#include "io/text_table.hpp"

namespace starling {
namespace {

constexpr double share_of_jitter = 1e-3;
constexpr double most_moved = 0.01;  // of a mean

bool may_be_in_lockstep(const Scenario& scenario) {
  constexpr int most_workers = 256;
  return scenario.jobs.empty() && scenario.engine == Engine::fair &&
         scenario.cluster.workers <= most_workers && scenario.imbalance.empty() &&
         scenario.message_costs.wake_up_s == 0 && !has_control_channel(scenario);
}

/// Whether the jittered mean is so much greater that its sampling does not explain it. The error of the other
/// one does not count: it is great where rounding ends the lockstep in the midst of a run.
bool is_slower(const SampleEstimate& jittered_s, const SampleEstimate& same_s) {
  constexpr double errors = 3;
  const double error_s = jittered_s.has_error() ? errors * jittered_s.standard_error : 0;
  return jittered_s.value > same_s.value * (1 + most_moved) + error_s;
}

}  // namespace

Scenario jittered(const Scenario& scenario, const Result& result, std::uint64_t seed) {
  Scenario same = scenario;
  same.learning.reset();
  // An optimized placement is that of the result, not what suits other latencies.
  if (result.placement) same.cluster.placement.hosts = result.placement->hosts;
  same.jitter = {.share = share_of_jitter, .seed = seed};
  return same;
}

std::optional<Interval> range_by_ties(const std::vector<double>& means_s) {
  const auto [least, greatest] = std::ranges::minmax(means_s);
  const double moved_s = std::max(greatest - means_s.front(), means_s.front() - least);
  if (moved_s <= most_moved * means_s.front()) return std::nullopt;
  return Interval{least, greatest};
}

std::vector<std::string> lockstep_warnings(const Scenario& scenario, const Result& result) {
  if (!may_be_in_lockstep(scenario)) return {};
  Scenario other = jittered(scenario, result, 0);
  other.algorithms.clear();
  std::vector<const RunResult*> runs;
  for (std::size_t i = 0; i < result.runs.size(); ++i) {
    if (result.runs[i].traffic.rendezvous_messages.value_or(0) == 0) continue;
    runs.push_back(&result.runs[i]);
    other.algorithms.push_back(scenario.algorithms[i]);
  }
  if (runs.empty()) return {};
  std::vector<std::string> warnings;
  const Result of_others = simulate(other);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunResult& run = *runs[i];
    const RunResult& slower = of_others.runs[i];
    if (!is_slower(slower.sampling.mean_s, run.sampling.mean_s)) continue;
    warnings.push_back(fmt::format(
        "{}: /workload/imbalance: {} takes {} only while all workers stay in lockstep: {} ({:+.0f} %) if "
        "their computing times differ by a thousandth, as then requests of {} wait behind the data of the "
        "same pair; give the imbalance, or /cluster/wake_up",
        scenario.file.string(), run.label, time_text(run.iteration_time_s.mean),
        time_text(slower.iteration_time_s.mean),
        100 * (slower.iteration_time_s.mean / run.iteration_time_s.mean - 1), scenario.transport));
  }
  return warnings;
}

}  // namespace starling
