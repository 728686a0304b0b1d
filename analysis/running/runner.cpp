#include "analysis/running/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "analysis/running/bucket_trials.hpp"
#include "analysis/running/run_facts.hpp"
#include "analysis/running/run_result.hpp"
#include "analysis/running/simulated_machine.hpp"
#include "analysis/running/traffic_warnings.hpp"

namespace starling {
namespace {

/// How many iterations each worker runs for the algorithm with that index, in all its runs together.
std::int64_t expected_iterations(const Machine& machine, const ScenarioJob& job, std::size_t index,
                                 const Explainer* explainer) {
  const Scenario& scenario = job.scenario();
  std::int64_t iterations = job.iterations(index) * machine.runs_of_each(scenario.learning.has_value());
  if (explainer != nullptr) iterations += explainer->iterations(job, index);
  if (has_bucket_search(job.options(index))) iterations += bucket_search_iterations();
  return iterations;
}

void expect_progress(const Machine& machine, const ScenarioJob& job, const RunObservers& observers) {
  std::int64_t iterations = 0;
  for (std::size_t i = 0; i < job.scenario().algorithms.size(); ++i)
    iterations += expected_iterations(machine, job, i, observers.explainer);
  observers.progress.expect(iterations * job.workers());
}

/// Calls `run`, which runs the algorithm of that index; if memory runs out, the error names the algorithm.
template <typename Run>
auto naming_run(const ScenarioJob& job, std::size_t index, const Run& run) {
  try {
    return run();
  } catch (const std::bad_alloc&) {
    throw std::runtime_error(
        fmt::format("{}: out of memory after {} MB, with {} workers and {} iterations; fewer workers or "
                    "iterations need less",
                    job.scenario().algorithms[index].label, peak_memory_bytes() / 1'000'000, job.workers(),
                    job.iterations(index)));
  }
}

/// How many iterations the next run needs for the standard error that the scenario asks for, judged by the
/// sampling of this one; as many as it had if its error is small enough, or it is as long as it may be. A run
/// too short for an error needs as many as have one. Whole periods are counted.
std::int64_t iterations_needed(const ScenarioJob& job, std::size_t index, const Sampling& sampling) {
  constexpr double margin = 1.2;        // the error is an estimate itself
  constexpr double greatest_step = 16;  // and less to be trusted the shorter the run was
  const std::int64_t iterations = job.iterations(index);
  const auto had = static_cast<double>(iterations - job.scenario().warmup_iterations);
  const auto so_many = [&](double counted) {
    return job.iterations_to_count(index, static_cast<std::int64_t>(std::ceil(counted)));
  };
  const SampleEstimate& mean_s = sampling.mean_s;
  if (!mean_s.has_error()) {
    const SampleSeries& series = sampling.sample_s;
    const auto least = static_cast<double>(least_series(series.period, series.least_length));
    return so_many(least > had ? least : greatest_step * had);
  }
  const double wanted_s = job.scenario().precision->standard_error * mean_s.value;
  const double excess = mean_s.standard_error / wanted_s;
  if (!(excess > 1)) return iterations;
  return so_many(had * std::min(margin * excess * excess, greatest_step));
}

/// Runs the algorithm with that index, again and longer until its mean is as precise as the scenario asks
/// for.
Measurement measure(Machine& machine, ScenarioJob& job, std::size_t index, const RunObservers& observers) {
  const Scenario& scenario = job.scenario();
  const std::optional<PreparedRun> learning = job.learning_run(index);
  if (!scenario.precision)
    return machine.measure(job.run(index), learning ? &*learning : nullptr, observers.trace);
  for (;;) {
    Measurement measurement = machine.measure(job.run(index), nullptr, nullptr);
    const std::int64_t needed =
        iterations_needed(job, index, sampling_of(job, index, measurement.outcome.log));
    if (needed == job.iterations(index)) {
      if (observers.trace == nullptr) return measurement;
      // A timeline cannot be taken back, so it is written in a last run.
      return machine.measure(job.run(index), nullptr, observers.trace);
    }
    job.set_iterations(index, needed);
    observers.progress.expect_more(needed * job.workers());
  }
}

/// One algorithm's result and its log. Adds the events of its explanation to `events`.
std::pair<RunResult, IterationLog> run_one(Machine& machine, ScenarioJob& job, std::size_t index,
                                           const RunObservers& observers, std::uint64_t& events) {
  const ScenarioAlgorithm& algorithm = job.scenario().algorithms[index];
  RunResult result;
  result.label = algorithm.label;
  result.algorithm = algorithm.as_read;
  if (has_bucket_search(job.options(index))) {
    observers.progress.begin(result.label + " (bucket search)");
    search_buckets(
        job, index, [&](const PreparedRun& trial) { return machine.run_trial(trial); }, result);
  }
  observers.progress.begin(result.label);
  if (observers.run_begun) observers.run_begun(result.label, hosts_by_rank(job.routes()));
  Measurement measurement = measure(machine, job, index, observers);
  IterationLog& log = measurement.outcome.log;
  if (observers.explainer != nullptr) events += observers.explainer->explain(job, index, log, result);
  describe(job, index, measurement, result);
  return {std::move(result), std::move(log)};
}

}  // namespace

Result run_on(Machine& machine, ScenarioJob& job, const RunObservers& observers) {
  const auto start = std::chrono::steady_clock::now();
  expect_progress(machine, job, observers);
  Result result{.scenario = job.scenario().as_read,
                .engine = machine.name(),
                .compute = compute_facts(job.scenario().workload, machine.is_model()),
                .transport = {},
                .runs = {},
                .simulation = {}};
  if (machine.is_model()) result.transport = transport_facts(job.scenario(), job.network());
  if (machine.is_model()) result.placement = placement_facts(job.scenario(), job.routes());
  std::uint64_t events_of_explanations = 0;
  for (std::size_t i = 0; i < job.scenario().algorithms.size(); ++i) {
    auto [run, log] =
        naming_run(job, i, [&] { return run_one(machine, job, i, observers, events_of_explanations); });
    result.runs.push_back(std::move(run));
    compare_with_first(result.runs.front(), result.runs.back());
    result.simulation = {
        .wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
        .events = machine.events() + events_of_explanations,
        .peak_memory_bytes = peak_memory_bytes()};
    if (observers.run_finished) observers.run_finished(result, log);
  }
  return result;
}

Result simulate(const Scenario& scenario, const RunObservers& observers) {
  ScenarioJob job(scenario, observers.progress);
  if (observers.job_made) observers.job_made(job);
  report_traffic_warnings(job, observers.warned_of_traffic);
  SimulatedMachine machine(scenario, job.routes(), observers.progress, observers.watching,
                           observers.evaluator);
  return run_on(machine, job, observers);
}

}  // namespace starling
