#include "analysis/reproduction/published_run.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "analysis/model/model_machine.hpp"
#include "analysis/running/repetition.hpp"
#include "analysis/running/run_facts.hpp"
#include "analysis/running/runner.hpp"
#include "io/scenario_error.hpp"
#include "scenarios/reading/algorithm_reader.hpp"
#include "scenarios/reading/cluster_reader.hpp"
#include "scenarios/reading/scenario_reader.hpp"

namespace starling {

namespace {

double relative(double error, double mean) { return mean > 0 ? error / mean : 0; }

// A run ends when the standard error of its mean is below the first, or it has so many events.
constexpr double wanted_relative_error = 0.01;
constexpr double most_events = 5e7;
/// The events that count for a worker's iteration in the model, which has none.
constexpr std::uint64_t events_of_iteration = 200;

std::int64_t counted_period(const Scenario& scenario) {
  const ClusterFacts facts{.workers = scenario.cluster.workers,
                           .workers_per_host = scenario.cluster.workers_per_host};
  try {
    return counted_period(scenario.algorithms.front().options, facts, scenario.imbalance);
  } catch (const std::invalid_argument&) {  // the run itself tells what does not fit
    return 1;
  }
}

void set_length(Scenario& scenario, std::int64_t counted_iterations) {
  scenario.iterations = scenario.warmup_iterations + counted_iterations;
  scenario.as_read["iterations"] = scenario.iterations;
  scenario.as_read["warmup_iterations"] = scenario.warmup_iterations;
}

/// Sets the length of a first estimate: whole periods of the algorithm; enough for a standard error where
/// iterations may differ by chance, and else enough to reach the steady state.
void set_first_length(Scenario& scenario) {
  constexpr std::int64_t warmup_iterations = 10;
  constexpr std::int64_t iterations_of_workers = 12'800;
  constexpr std::int64_t least_periods = 3;
  const std::int64_t period = counted_period(scenario);
  const auto whole_periods = [period](std::int64_t least) { return (least + period - 1) / period * period; };
  scenario.warmup_iterations = whole_periods(warmup_iterations);
  const std::int64_t counted =
      may_differ_by_chance(scenario)
          ? std::max(std::clamp<std::int64_t>(iterations_of_workers / scenario.cluster.workers, 32, 3200),
                     least_periods * period)
          : 30;
  set_length(scenario, whole_periods(counted));
}

struct Trial {
  RunFigures figures;
  double events = 0;
};

Result predicted(const Scenario& scenario, Predictor predictor) {
  if (predictor == Predictor::simulation) return simulate(scenario);
  if (const auto reason = reason_without_model(scenario)) throw std::invalid_argument(*reason);
  ScenarioJob job(scenario);
  ModelMachine machine(scenario, job.routes());
  Result result = run_on(machine, job, {});
  result.simulation.events =
      static_cast<std::uint64_t>(scenario.iterations * scenario.cluster.workers) * events_of_iteration;
  return result;
}

/// The standard error over the mean; 1 where the run is too short for an error. For a run that drifts, the
/// change of its iterations from the first to the last, over the mean.
double relative_error_of(const Scenario& scenario, const Sampling& sampling) {
  const double mean_s = sampling.mean_s.value;
  if (sampling.drift_s) return relative(std::abs(sampling.drift_s->last - sampling.drift_s->first), mean_s);
  if (!may_differ_by_chance(scenario)) return 0;
  return sampling.mean_s.has_error() ? relative(sampling.mean_s.standard_error, mean_s) : 1;
}

Trial tried(const Scenario& scenario, Predictor predictor) {
  const Result result = predicted(scenario, predictor);
  const RunResult& run = result.runs.front();
  return {.figures = {.mean_s = run.iteration_time_s.mean,
                      .median_s = run.iteration_time_s.p50,
                      .relative_error = relative_error_of(scenario, run.sampling),
                      .mean_active_workers = run.participation.mean_active_workers.value_or(0),
                      .is_drifting = run.sampling.drift_s.has_value(),
                      .iterations = scenario.iterations,
                      .warmup_iterations = scenario.warmup_iterations},
          .events = static_cast<double>(result.simulation.events)};
}

/// The factor by which a run must be lengthened for the wanted error, limited by the number of events. It is
/// not known when a drift ends, so a drifting run is lengthened step by step.
double needed_factor(const Trial& trial) {
  constexpr double margin = 1.2;  // the error of a run is an estimate itself
  constexpr double step_while_drifting = 4;
  const double excess = trial.figures.relative_error / wanted_relative_error;
  if (excess <= 1) return 1;
  const double allowed = most_events / std::max(1.0, trial.events);
  if (!trial.figures.is_drifting) return std::min(margin * excess * excess, allowed);
  return allowed < margin ? 1 : std::min(step_while_drifting, allowed);
}

/// Lengthens a run by the factor that it needs, to whole periods; the warm-up of a drifting one, too. Returns
/// whether more iterations are counted now.
bool lengthen(Scenario& scenario, const Trial& trial) {
  const double factor = needed_factor(trial);
  const std::int64_t period = counted_period(scenario);
  const auto lengthened = [&](std::int64_t iterations) {
    const double periods = std::floor(factor * static_cast<double>(iterations) / static_cast<double>(period));
    return std::max(iterations, static_cast<std::int64_t>(periods) * period);
  };
  const std::int64_t counted = scenario.iterations - scenario.warmup_iterations;
  const std::int64_t needed = lengthened(counted);
  if (trial.figures.is_drifting) scenario.warmup_iterations = lengthened(scenario.warmup_iterations);
  set_length(scenario, needed);
  return needed > counted;
}

/// Lengthens a run once for its error, and as often as necessary while it drifts.
RunFigures figures_of(const Scenario& first, Predictor predictor) {
  Scenario scenario = first;
  Trial trial = tried(scenario, predictor);
  bool was_settled = false;
  while (trial.figures.is_drifting || !was_settled) {
    was_settled = !trial.figures.is_drifting;
    if (!lengthen(scenario, trial)) break;
    trial = tried(scenario, predictor);
  }
  return trial.figures;
}

RunFigures figures_of(const CollectiveLatencyOptions& options, Predictor predictor) {
  if (predictor == Predictor::model) throw std::invalid_argument(*reason_without_model(options));
  const CollectiveLatency latency = measure_collective_latency(options);
  return {.mean_s = latency.mean_s,
          .median_s = 0,
          .relative_error = relative(latency.standard_error_s, latency.mean_s),
          .mean_active_workers = latency.mean_active_workers};
}

CollectiveLatencyOptions read_benchmark(const nlohmann::json& document, const std::filesystem::path& file) {
  std::vector<std::string> warnings;
  CollectiveLatencyOptions options;
  options.cluster = read_cluster(JsonPlace(document.at("cluster"), file.string(), "/cluster"), warnings,
                                 {.takes_errors = true});
  const ClusterOptions& cluster = options.cluster.options;
  const bool even = cluster.workers % cluster.workers_per_host == 0;
  options.seed = document.at("seed").get<std::uint64_t>();
  const ScenarioAlgorithm algorithm =
      read_algorithm(JsonPlace(document.at("algorithm"), file.string(), "/algorithm"), options.seed, even);
  options.kind = algorithm.as_read.at("kind").get<std::string>();
  options.collective = algorithm.as_read.at("collective").get<std::string>();
  options.operation_cost_s = algorithm.as_read.value("operation_cost", 0.0);
  options.message_bytes = document.at("message_bytes").get<std::int64_t>();
  options.operations = document.at("operations").get<std::int64_t>();
  options.first_delay_s = document.at("first_delay").get<double>();
  options.delay_step_s = document.at("delay_step").get<double>();
  options.as_read = document.dump();
  return options;
}

}  // namespace

PublishedRun read_published_run(const nlohmann::json& document, const std::filesystem::path& file) {
  if (document.contains("benchmark")) return read_benchmark(document, file);
  Scenario scenario = read_scenario_document(document, file);
  set_first_length(scenario);
  return scenario;
}

std::optional<std::string> reason_without_model(const PublishedRun& run) {
  const auto* scenario = std::get_if<Scenario>(&run);
  if (scenario == nullptr) return "it is a microbenchmark, which the runtime model does not cover";
  try {
    return reason_without_model(ScenarioJob(*scenario).run(0).algorithm);
  } catch (const ScenarioError&) {  // the run itself tells
    return std::nullopt;
  }
}

RunFigures execute(const PublishedRun& run, Predictor predictor) {
  return std::visit([predictor](const auto& work) { return figures_of(work, predictor); }, run);
}

std::int64_t size_of(const PublishedRun& run) {
  if (const auto* scenario = std::get_if<Scenario>(&run))
    return scenario->iterations * scenario->cluster.workers;
  const auto& benchmark = std::get<CollectiveLatencyOptions>(run);
  return benchmark.operations * benchmark.cluster.options.workers;
}

}  // namespace starling
