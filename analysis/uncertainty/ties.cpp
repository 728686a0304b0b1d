#include "analysis/uncertainty/ties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>

#include "analysis/model/exact_runs.hpp"
#include "analysis/running/simulated_machine.hpp"
#include "base/numbers/common_period.hpp"
#include "io/texts/text_table.hpp"

namespace starling {
namespace {

constexpr double share_of_jitter = 1e-3;
constexpr double most_moved = 0.01;  // of a mean

bool may_depend_on_ties(const Scenario& scenario) {
  constexpr int most_workers = 256;
  return scenario.engine == Engine::fair && scenario.cluster.workers <= most_workers &&
         scenario.imbalance.empty() && scenario.message_costs.wake_up_s == 0;
}

/// Whether messages of different rounds may meet. Those of rings do not, except where requests wait behind
/// data.
bool may_depend_on_ties(const Scenario& scenario, const RunResult& run) {
  if (!scenario.message_costs.has_control_channel()) return run.traffic.rendezvous_messages.value_or(0) > 0;
  return run.traffic.messages > 0 && run.algorithm.value("collective", "") != "ring";
}

/// Limits the iterations of a jittered run, which do not repeat and so must all be simulated, to whole
/// periods within 60 counted ones; not where a period is longer.
void shorten(Scenario& jittered, std::int64_t period) {
  constexpr std::int64_t enough_iterations = 60;
  if (jittered.precision || period > enough_iterations) return;
  const std::int64_t whole = enough_iterations / period * period;
  jittered.iterations = std::min(jittered.iterations, jittered.warmup_iterations + whole);
}

/// The scenario itself if it has no jobs, else the scenario of its only job, if that has all workers in
/// order. Null otherwise.
const Scenario* without_other_jobs(const Scenario& scenario) {
  if (scenario.jobs.empty()) return &scenario;
  const SharedJob& job = scenario.jobs.front();
  const bool has_all =
      std::ssize(job.workers) == scenario.cluster.workers && std::ranges::is_sorted(job.workers);
  return scenario.jobs.size() == 1 && has_all ? &job.scenario : nullptr;
}

/// Whether the jittered mean differs by more than its sampling explains. The error of the other mean does not
/// count: it is large where rounding ends the lockstep in the midst of a run.
bool has_moved(const SampleEstimate& jittered_s, const SampleEstimate& same_s) {
  constexpr double errors = 3;
  const double error_s = jittered_s.has_error() ? errors * jittered_s.standard_error : 0;
  return std::abs(jittered_s.value - same_s.value) > std::max(same_s.value * most_moved, error_s);
}

/// The warning about a run whose jittered counterpart `moved` has another mean.
std::string warning_of(const Scenario& scenario, const RunResult& run, const RunResult& moved) {
  const auto [least_s, greatest_s] = std::minmax(run.iteration_time_s.mean, moved.iteration_time_s.mean);
  return fmt::format(
      "{}: {}{}/workload/imbalance: {} takes {}, which depends on the order of simultaneous events: {} – {} "
      "if computing times and latencies differ by up to 0.1 %. Over {} {} unless both workers begin at the "
      "same moment; describe the imbalance of compute times, or set /cluster/wake_up",
      scenario.file.string(), scenario.place, scenario.algorithm_place.empty() ? "" : "/jobs/0", run.label,
      time_text(run.iteration_time_s.mean), time_text(least_s), time_text(greatest_s), scenario.transport,
      scenario.message_costs.has_control_channel()
          ? "a message shares its sender's link with the sender's previous message, for which another worker "
            "waits,"
          : "requests of a rendezvous wait behind data of the same pair of workers");
}

}  // namespace

Scenario jittered(const Scenario& scenario, const Result& result, std::uint64_t seed) {
  Scenario same = scenario;
  same.learning.reset();
  // The placement of the result stays: jittered latencies could lead to another optimized one.
  if (result.placement) same.cluster.placement.hosts = result.placement->hosts;
  same.jitter = {.share = share_of_jitter, .seed = seed};
  return same;
}

std::optional<Interval> range_by_ties(const SampleEstimate& mean_s,
                                      const std::vector<SampleEstimate>& jittered_s) {
  Interval range{mean_s.value, mean_s.value};
  for (const SampleEstimate& other_s : jittered_s) {
    if (!has_moved(other_s, mean_s)) continue;
    range = {std::min(range.least, other_s.value), std::max(range.greatest, other_s.value)};
  }
  return range.least < range.greatest ? std::optional(range) : std::nullopt;
}

std::vector<std::string> tie_warnings(const Scenario& of_result, const Result& result) {
  const Scenario* const scenario = without_other_jobs(of_result);
  if (scenario == nullptr || !may_depend_on_ties(*scenario)) return {};
  Scenario other = jittered(*scenario, result, 0);
  other.algorithms.clear();
  std::vector<const RunResult*> runs;
  std::int64_t period_of_all = 1;
  for (std::size_t i = 0; i < scenario->algorithms.size(); ++i) {
    const RunResult& run = result.jobs.empty() ? result.runs[i] : result.jobs[i].run;
    if (!may_depend_on_ties(*scenario, run)) continue;
    period_of_all = common_period(period_of_all, run.pattern_period);
    runs.push_back(&run);
    other.algorithms.push_back(scenario->algorithms[i]);
  }
  if (runs.empty()) return {};
  shorten(other, period_of_all);
  std::vector<std::string> warnings;
  const Result of_others = simulate_evaluated(other);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunResult& run = *runs[i];
    const RunResult& moved = of_others.runs[i];
    if (!has_moved(moved.sampling.mean_s, run.sampling.mean_s)) continue;
    warnings.push_back(warning_of(*scenario, run, moved));
  }
  return warnings;
}

}  // namespace starling
