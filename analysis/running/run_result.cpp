#include "analysis/running/run_result.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "algorithms/collectives/schedules/schedule.hpp"
#include "algorithms/training/synchronous/wait_free_backpropagation.hpp"
#include "analysis/results/metrics.hpp"
#include "analysis/running/run_facts.hpp"
#include "analysis/statistics/estimate.hpp"
#include "base/numbers/simultaneous.hpp"

namespace starling {
namespace {

/// How many iterations each worker had ended at the moment at which the first worker ended its last one.
std::vector<std::int64_t> iterations_at_first_end(const IterationLog& log) {
  double first_end_s = log.of(0).back().end_s;
  for (Rank rank = 1; rank < log.workers(); ++rank)
    first_end_s = std::min(first_end_s, log.of(rank).back().end_s);
  std::vector<std::int64_t> iterations;
  for (Rank rank = 0; rank < log.workers(); ++rank)
    iterations.push_back(std::ranges::count_if(log.of(rank), [&](const IterationRecord& record) {
      return record.end_s <= first_end_s || are_simultaneous(first_end_s, record.end_s);
    }));
  return iterations;
}

Participation participation_of(const Outcome& outcome, bool everyone_waits_for_all) {
  const ParticipationLog& log = outcome.participation;
  if (everyone_waits_for_all) return {.mean_active_workers = static_cast<double>(outcome.log.workers())};
  Participation result;
  result.details = Participation::Details{.operations = log.operations(),
                                          .fresh_contributions = log.fresh_contributions(),
                                          .absent_contributions = log.absent_contributions(),
                                          .active_workers = log.active_workers_histogram(),
                                          .staleness = log.staleness_histogram(),
                                          .max_lead_iterations = log.max_lead_iterations(),
                                          .iterations_at_first_end = iterations_at_first_end(outcome.log)};
  if (log.operations() == 0) return result;
  result.mean_active_workers = log.mean_active_workers();
  result.stale_contributions = log.stale_contributions();
  result.mean_staleness_iterations = log.mean_staleness_iterations();
  result.max_staleness_iterations = log.max_staleness_iterations();
  return result;
}

Computing computing_of(const Outcome& outcome, std::int64_t warmup_iterations) {
  Computing result = computing(outcome.log, warmup_iterations);
  if (outcome.statistics.late_timers.count > 0) result.timers = outcome.statistics.late_timers;
  return result;
}

/// Samples per second of all workers; absent where iterations take no time.
std::optional<double> throughput_of(const ScenarioJob& job, std::size_t index, const IterationLog& log,
                                    double mean_iteration_s) {
  const Scenario& scenario = job.scenario();
  const double of_samples_s = job.options(index).traits().is_synchronous
                                  ? mean_iteration_s
                                  : harmonic_mean(mean_times_of_workers_s(log, scenario.warmup_iterations));
  if (of_samples_s <= 0) return std::nullopt;
  return job.workers() * scenario.workload.samples_per_iteration() / of_samples_s;
}

Traffic traffic_of(const Measurement& measurement, double workers, std::int64_t iterations) {
  const RunStatistics& statistics = measurement.outcome.statistics;
  const double of_iteration = statistics.bytes / workers / static_cast<double>(iterations);
  Traffic traffic{.messages = statistics.messages,
                  .bytes = statistics.bytes,
                  .bytes_per_worker_per_iteration =
                      measurement.outcome.bytes_per_worker_per_iteration.value_or(of_iteration)};
  if (!measurement.repetitions) {  // simulated
    traffic.rendezvous_messages = statistics.rendezvous_messages;
    traffic.evaluated_messages = statistics.evaluated_messages;
  }
  return traffic;
}

/// The drift of iteration times, cut off at 0 where the line through them falls below.
Drift drift_of_times(const Drift& line_s) {
  return {.first = std::max(0.0, line_s.first), .last = std::max(0.0, line_s.last)};
}

/// Notes which collectives `"collective": "auto"` has chosen.
void note_collectives(const ScenarioJob& job, std::size_t index, RunResult& result) {
  const auto found = result.algorithm.find("collective");
  if (found == result.algorithm.end() || *found != "auto") return;
  const PreparedRun run = job.run(index);
  std::set<std::string> names;
  for (const Schedule* schedule : run.algorithm.configured_collectives()) names.insert(schedule->name());
  if (!names.empty()) result.algorithm[collectives_chosen_key] = names;
}

/// Notes where MG-WFBP has merged all layers, though it could have kept some apart.
void note_merging(const ScenarioJob& job, std::size_t index, RunResult& result) {
  if (job.options(index).get_if<MgWfbpOptions>() == nullptr) return;
  const PreparedRun run = job.run(index);
  const auto layers =
      std::ranges::count_if(run.workload.model.layers, [](const Layer& layer) { return layer.tensors > 0; });
  if (layers > 1 && run.algorithm.sequential_collectives().size() == 1)
    result.algorithm[merged_all_key] = true;
}

/// Notes what was chosen for other options that were left to be chosen.
void note_choices(const ScenarioJob& job, std::size_t index, RunResult& result) {
  auto chosen = nlohmann::ordered_json::object();
  for (const Choice& choice : job.run(index).algorithm.choices())
    std::visit([&](const auto& value) { chosen[choice.option] = value; }, choice.value);
  if (const auto matrix = job.options(index).mixing_matrix(job.facts())) {
    if (result.algorithm.value("mixing", "") == name_of(MixingRule::automatic))
      chosen["mixing"] = name_of(matrix->rule());
    const std::vector<int> dimensions = matrix->graph().dimensions();
    const auto graph = result.algorithm.find("graph");
    if (!dimensions.empty() && graph != result.algorithm.end() && !graph->contains("dimensions"))
      chosen["dimensions"] = dimensions;
  }
  if (!chosen.empty()) result.algorithm[chosen_key] = std::move(chosen);
}

}  // namespace

Sampling sampling_of(const ScenarioJob& job, std::size_t index, const IterationLog& log) {
  constexpr std::size_t most_kept_values = 2'000;
  const Scenario& scenario = job.scenario();
  const std::int64_t period = counted_period(job.options(index), job.facts(), scenario.imbalance);
  SampleSeries series{
      .values = mean_durations_s(log, scenario.warmup_iterations),
      .period = static_cast<std::size_t>(period),
      .least_length = static_cast<std::size_t>(least_batch(scenario.imbalance, job.workers()))};
  const SampleEstimate mean_s = mean_of_series(series);
  const std::optional<Drift> drift_s = drift_of(series);
  if (drift_s || is_of_partial_periods(std::ssize(series.values), period))
    return {.mean_s = {.value = mean_s.value},
            .sample_s = {},
            .drift_s = drift_s ? std::optional(drift_of_times(*drift_s)) : std::nullopt};
  return {.mean_s = mean_s, .sample_s = condensed(std::move(series), most_kept_values)};
}

void describe(const ScenarioJob& job, std::size_t index, const Measurement& measurement, RunResult& result) {
  const Scenario& scenario = job.scenario();
  const Outcome& outcome = measurement.outcome;
  result.workers = job.workers();
  result.iterations = job.iterations(index) - scenario.warmup_iterations;
  if (outcome.repetition) result.simulated_iterations = outcome.repetition->simulated_iterations;
  result.pattern_period = counted_period(job.options(index), job.facts(), scenario.imbalance);
  result.iteration_time_s = iteration_time(outcome.log, scenario.warmup_iterations);
  result.least_batch = least_batch(scenario.imbalance, job.workers());
  result.sampling = sampling_of(job, index, outcome.log);
  result.throughput_samples_per_s = throughput_of(job, index, outcome.log, result.iteration_time_s.mean);
  result.makespan_s = outcome.statistics.makespan_s;
  result.breakdown_s = breakdown(outcome.log, scenario.warmup_iterations);
  result.traffic = traffic_of(measurement, job.workers(), job.iterations(index));
  result.participation = participation_of(outcome, job.options(index).traits().is_synchronous);
  if (scenario.learning)
    result.learning = learning_result(*scenario.learning, measurement.learned, outcome.log);
  result.links = measurement.links;
  result.critical_path = measurement.critical_path;
  result.is_path_too_long = measurement.is_path_too_long;
  result.repetitions = measurement.repetitions;
  result.coefficient_of_variation = measurement.coefficient_of_variation;
  result.gemm_flops_per_s = measurement.gemm_flops_per_s;
  if (measurement.repetitions) result.computing = computing_of(outcome, scenario.warmup_iterations);
  note_collectives(job, index, result);
  note_merging(job, index, result);
  note_choices(job, index, result);
}

}  // namespace starling
