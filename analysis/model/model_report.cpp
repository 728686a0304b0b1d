#include "analysis/model/model_report.hpp"

#include <fmt/format.h>

#include <utility>

#include "analysis/model/model_machine.hpp"
#include "analysis/running/bucket_trials.hpp"
#include "analysis/running/repetition.hpp"
#include "analysis/running/run_result.hpp"
#include "analysis/running/runner.hpp"
#include "analysis/running/scenario_job.hpp"
#include "analysis/running/simulated_machine.hpp"
#include "analysis/running/traffic_warnings.hpp"
#include "io/texts/text_table.hpp"

namespace starling {
namespace {

ModeledTime modeled_time(const ScenarioJob& job, std::size_t index, const ModelMachine& machine) {
  Prediction prediction = machine.prediction_of(job.run(index));
  Sampling sampling = sampling_of(job, index, prediction.log);
  if (prediction.validity == ModelValidity::lower_bound && job.scenario().warmup_iterations > 0)
    prediction.reasons.emplace_back(
        "a mean after a warm-up is no lower bound with few counted iterations, as the simulated warm-up may "
        "end later, too");
  if (sampling.drift_s)
    prediction.reasons.push_back(fmt::format(
        "iteration times still drift while counted, from {} to {}: count more iterations, after more warm-up",
        time_text(sampling.drift_s->first), time_text(sampling.drift_s->last)));
  return {.sampling = std::move(sampling),
          .breakdown_s = breakdown(prediction.log, job.scenario().warmup_iterations),
          .validity = prediction.validity,
          .reasons = std::move(prediction.reasons)};
}

/// The sampling without errors: where nothing is random a mean has none, however much iterations differ.
Sampling without_error(const Sampling& sampling) {
  return {.mean_s = {.value = sampling.mean_s.value}, .sample_s = {}, .drift_s = sampling.drift_s};
}

}  // namespace

std::optional<double> ModeledAlgorithm::difference() const {
  if (!model || !simulated || simulated->mean_s.value == 0) return std::nullopt;
  return model->sampling.mean_s.value / simulated->mean_s.value - 1;
}

std::vector<std::int64_t> ModelReport::iterations_of_each() const {
  std::vector<std::int64_t> iterations;
  for (const ModeledAlgorithm& algorithm : algorithms)
    iterations.push_back(warmup_iterations + algorithm.iterations);
  return iterations;
}

ModelReport model_report(Scenario scenario, bool simulates, const RunObservers& observers) {
  scenario.learning.reset();
  ScenarioJob job(scenario);
  if (observers.job_made) observers.job_made(job);
  report_traffic_warnings(job, observers.warned_of_traffic);
  ModelReport report{.name = scenario.name,
                     .workers = job.workers(),
                     .engine = engine_name(scenario.engine),
                     .warmup_iterations = scenario.warmup_iterations,
                     .algorithms = {},
                     .is_cut_short = !simulates && scenario.precision.has_value()};
  std::optional<Result> simulated;
  if (simulates) {
    SimulatedMachine machine(scenario, job.routes(), observers.progress);
    simulated = run_on(machine, job, observers);
  }
  ModelMachine machine(scenario, job.routes());
  for (std::size_t i = 0; i < scenario.algorithms.size(); ++i) {
    RunResult run;
    if (simulated)
      run = std::move(simulated->runs[i]);
    else
      run.algorithm = scenario.algorithms[i].as_read;
    if (!simulated && has_bucket_search(job.options(i)))
      search_buckets(
          job, i, [&](const PreparedRun& trial) { return machine.run_trial(trial); }, run);
    ModeledAlgorithm& row = report.algorithms.emplace_back();
    row.label = scenario.algorithms[i].label;
    row.algorithm = std::move(run.algorithm);
    row.iterations = job.iterations(i) - scenario.warmup_iterations;
    if (const auto reason = reason_without_model(job.run(i).algorithm))
      row.reason_without_model = *reason;
    else
      row.model = modeled_time(job, i, machine);
    if (simulated) row.simulated = std::move(run.sampling);
    if (may_differ_by_chance(scenario) || draws_numbers(job.options(i))) continue;
    if (row.model) row.model->sampling = without_error(row.model->sampling);
    if (row.simulated) row.simulated = without_error(*row.simulated);
  }
  return report;
}

}  // namespace starling
