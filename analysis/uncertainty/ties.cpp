#include "analysis/uncertainty/ties.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>

#include "analysis/model/exact_runs.hpp"
#include "analysis/running/simulated_machine.hpp"
#include "base/numbers/common_period.hpp"
#include "io/texts/text_table.hpp"

namespace starling {
namespace {

constexpr double share_of_jitter = 1e-3;
constexpr double most_moved = 0.01;  // of a mean

constexpr int most_workers = 256;

/// Whether nothing but their places in the network makes workers differ.
bool are_workers_equal(const Scenario& scenario) {
  return scenario.imbalance.empty() && scenario.message_costs.wake_up_s == 0;
}

/// Whether the requests and answers of rendezvous wait behind the data of their pair.
bool do_requests_wait(const Scenario& scenario) {
  return scenario.engine == Engine::tcp ||
         (scenario.engine == Engine::fair && !scenario.message_costs.has_control_channel());
}

bool do_requests_wait(const Scenario& scenario, const RunResult& run) {
  return do_requests_wait(scenario) && run.traffic.rendezvous_messages.value_or(0) > 0;
}

bool may_depend_on_ties(const Scenario& scenario) {
  const bool may_share_links = scenario.engine == Engine::fair || scenario.engine == Engine::tcp;
  return may_share_links && scenario.cluster.workers <= most_workers && are_workers_equal(scenario);
}

/// Whether all its collectives are rings, given or chosen by `auto`.
bool sends_by_rings(const RunResult& run) {
  const auto chosen = run.algorithm.find(collectives_chosen_key);
  if (chosen != run.algorithm.end()) return *chosen == nlohmann::ordered_json::array({"ring"});
  return run.algorithm.value("collective", "") == "ring";
}

/// Whether messages of different rounds may meet. Those of rings do not, except where requests wait behind
/// data.
bool may_depend_on_ties(const Scenario& scenario, const RunResult& run) {
  if (do_requests_wait(scenario, run)) return true;
  const bool may_meet = scenario.engine == Engine::tcp || scenario.message_costs.has_control_channel();
  return may_meet && run.traffic.messages > 0 && !sends_by_rings(run);
}

/// Whether a run that is not checked could depend on ties as one that is: two workers exchange messages by
/// rendezvous, which those of larger rings do not.
bool may_exchange_at_once(const Scenario& scenario, const RunResult& run) {
  return are_workers_equal(scenario) && do_requests_wait(scenario, run) &&
         (run.workers == 2 || !sends_by_rings(run));
}

/// Limits the iterations of a jittered run, which do not repeat and so must all be simulated, to whole
/// periods within 60 counted ones; not where a period is longer. Under `tcp`, which simulates frames and so
/// takes longer, within 10, but one period at least.
void shorten(Scenario& jittered, std::int64_t period) {
  constexpr std::int64_t most_iterations = 60;
  constexpr std::int64_t enough_over_tcp = 10;
  const bool is_over_tcp = jittered.engine == Engine::tcp;
  if (is_over_tcp) jittered.precision.reset();
  if (jittered.precision || period > most_iterations) return;
  const std::int64_t enough = is_over_tcp ? enough_over_tcp : most_iterations;
  const std::int64_t whole = std::max<std::int64_t>(1, enough / period) * period;
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

/// The result of the i-th algorithm, or job.
const RunResult& run_of(const Result& result, std::size_t i) {
  return result.jobs.empty() ? result.runs[i] : result.jobs[i].run;
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
      do_requests_wait(scenario, run)
          ? "requests of a rendezvous wait behind data of the same pair of workers"
          : "a message shares its sender's link with the sender's previous message, for which another worker "
            "waits,");
}

/// Why the check does not cover a scenario; empty if it does.
std::string reason_without_check(const Scenario& scenario) {
  const Scenario* const checked = without_other_jobs(scenario);
  if (checked == nullptr)
    return scenario.jobs.size() == 1 ? "a job is checked only if it has all workers in order"
                                     : "only a single job is checked";
  if (scenario.cluster.workers <= most_workers) return "";
  return fmt::format("up to {} workers are checked, there are {}", most_workers, scenario.cluster.workers);
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
    const RunResult& run = run_of(result, i);
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

std::vector<std::string> unchecked_tie_warnings(const Scenario& scenario, const Result& result) {
  const std::string reason = reason_without_check(scenario);
  if (reason.empty()) return {};
  std::vector<std::string> labels;
  const std::size_t runs = scenario.jobs.empty() ? result.runs.size() : result.jobs.size();
  for (std::size_t i = 0; i < runs; ++i) {
    const RunResult& run = run_of(result, i);
    if (may_exchange_at_once(scenario.jobs.empty() ? scenario : scenario.jobs[i].scenario, run))
      labels.push_back(run.label);
  }
  if (labels.empty()) return {};
  const std::string place = scenario.place + (scenario.jobs.empty() ? "/workload/imbalance" : "/jobs");
  return {
      fmt::format("{}: {}: {} not checked for ties: {}. Over {} two workers exchange messages in up to "
                  "half the time if they begin at the very same moment, and none is stated to be slower; "
                  "state `imbalance`, or /cluster/wake_up",
                  scenario.file.string(), place, fmt::join(labels, ", "), reason, scenario.transport)};
}

}  // namespace starling
