#include "commands/running/simulated_runs.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/demand/demand.hpp"
#include "analysis/demand/shortage.hpp"
#include "analysis/explanation/explained_simulation.hpp"
#include "analysis/explanation/run_explainer.hpp"
#include "analysis/model/exact_runs.hpp"
#include "analysis/results/replications.hpp"
#include "analysis/sensitivity/sensitivity.hpp"
#include "analysis/uncertainty/uncertainty.hpp"
#include "commands/shared/common_options.hpp"
#include "io/terminal/terminal.hpp"

namespace starling {
namespace {

void print_demand_estimate(const JobDemand& demand, const MachineSupply& supply,
                           const RunArguments& arguments, double further_s = 0) {
  if (arguments.is_quiet) return;
  if (const auto text = demand_estimate_text(demand, supply, further_s))
    print_error(fmt::format("starling: {}\n", *text));
}

/// Refuses a job that needs more time, memory or disk than there is, unless forced. For the second seed and
/// later ones: prints nothing.
void refuse_demand(const ScenarioJob& job, const RunArguments& arguments) {
  if (arguments.is_forced) return;
  const RunExplainer explainer;
  refuse_shortage(job, supply_of_machine(arguments.out), Forcing::possible, {.explainer = &explainer});
}

/// The number of runs, without learning, that --uncertainty and --sensitivity add to the scenario's own.
int further_runs(const Scenario& scenario, const RunArguments& arguments) {
  int runs = 0;
  if (arguments.finds_uncertainty) runs += UncertaintyOptions{}.draws + UncertaintyOptions{}.jitters;
  if (arguments.finds_sensitivity) runs += 2 * static_cast<int>(numbers_that_vary(scenario.as_read).size());
  return runs;
}

/// The same for the first seed; also prints the expected time and memory if these are large.
void check_demand(const ScenarioJob& job, const RunArguments& arguments) {
  if (arguments.is_forced && arguments.is_quiet) return;
  const ExactRuns exact_runs;
  const RunExplainer explainer;
  const MachineSupply supply = supply_of_machine(arguments.out);
  const RunConditions conditions{.watching = arguments.watching,
                                 .is_traced = arguments.is_traced,
                                 .evaluator = &exact_runs,
                                 .explainer = &explainer};
  const JobDemand demand = of_seeds(demand_of(job, conditions), arguments.seeds);
  if (!arguments.is_forced) refuse_shortage(job, demand, supply, Forcing::possible);
  const int further = further_runs(job.scenario(), arguments);
  const double further_s =
      further > 0 ? further * demand_of(job, {.learns = false, .evaluator = &exact_runs}).estimate.time_s : 0;
  print_demand_estimate(demand, supply, arguments, further_s);
}

/// Completes the timeline of the run with that label.
void finish_run(TraceJson& trace, const std::optional<LinkUses>& links, const std::string& label) {
  if (links) trace.counters(*links);
  report_cut_off(trace, label);
}

void warn_without_path(const RunResult& run) {
  if (!run.is_path_too_long) return;
  warn(fmt::format(
      "{}: an iteration has more steps than the critical path analysis keeps (67 million); use fewer workers",
      run.label));
}

/// Warns if the run `name` ended without the precision that the scenario asks for.
void warn_without_precision(const Scenario& scenario, const RunResult& run, const std::string& name) {
  if (!scenario.precision) return;
  const WantedPrecision& wanted = *scenario.precision;
  const SampleEstimate& mean_s = run.sampling.mean_s;
  if (mean_s.has_error() && mean_s.standard_error <= wanted.standard_error * mean_s.value) return;
  const std::string error =
      mean_s.has_error() ? fmt::format("{:.3g}", mean_s.standard_error / mean_s.value) : "not known";
  warn(
      fmt::format("{}: the relative standard error is {} after {} iterations, the limit of /iterations/most, "
                  "instead of {:g}",
                  name, error, scenario.warmup_iterations + run.iterations, wanted.standard_error));
}

/// The combined result of all seeds, for the algorithms that `last`, the result of the last seed, has so far.
Result combined_with(const Result& last, std::vector<Result>& before,
                     const std::vector<std::uint64_t>& seeds) {
  before.push_back(last);
  Result all = combine_replications(before, seeds);
  before.pop_back();
  return all;
}

}  // namespace

Result simulate_once(const Scenario& scenario, const RunArguments& arguments, RunOutput& output,
                     ProgressLine& progress, TraceJson* trace) {
  RunObservers observers{.progress = &progress, .trace = trace, .watching = arguments.watching};
  observers.job_made = [&](const ScenarioJob& job) { check_demand(job, arguments); };
  observers.warned_of_traffic = [](const std::string& warning) { warn(warning); };
  observers.jobs_made = [&](const JobDemand& demand) {
    const MachineSupply supply = supply_of_machine(arguments.out);
    if (!arguments.is_forced) refuse_shortage(scenario, demand, supply, Forcing::possible);
    print_demand_estimate(demand, supply, arguments);
  };
  if (trace != nullptr) observers.run_begun = std::bind_front(&TraceJson::begin_run, trace);
  observers.run_finished = [&](const Result& result, const IterationLog& log) {
    output.add(result, log, scenario.warmup_iterations);
    warn_without_path(result.runs.back());
    warn_without_precision(scenario, result.runs.back(), result.runs.back().label);
    if (trace != nullptr) finish_run(*trace, result.runs.back().links, result.runs.back().label);
  };
  observers.job_finished = [&](const Result& result, const JobResult& job, const IterationLog& log) {
    output.add(result, job, log);
    warn_without_path(job.run);
    if (trace != nullptr && &job == &result.jobs.front()) finish_run(*trace, result.links, "all jobs");
  };
  return simulate_and_explain(scenario, observers);
}

Result simulate_replications(ScenarioDocument& document, const Scenario& first, const RunArguments& arguments,
                             RunOutput& output, ProgressLine& progress) {
  progress.expect(arguments.seeds * static_cast<std::int64_t>(first.algorithms.size()));
  using Clock = std::chrono::steady_clock;
  const std::size_t algorithms = first.algorithms.size();
  RoundsLeft left(algorithms, arguments.seeds);
  std::vector<double> taken_s(algorithms);
  std::vector<Result> results;
  std::vector<std::uint64_t> seeds;
  Result all;
  for (int i = 0; i < arguments.seeds; ++i) {
    seeds.push_back(offset_seed(first.seed, static_cast<std::uint64_t>(i)));
    change(document, fmt::format("/seed={}", seeds.back()));
    const Scenario scenario = read_scenario(document);
    progress.go_on(fmt::format("seed {}", seeds.back()));
    RunObservers observers;
    Clock::time_point begun = Clock::now();
    observers.job_made = [&](const ScenarioJob& job) {
      results.empty() ? check_demand(job, arguments) : refuse_demand(job, arguments);
    };
    if (results.empty()) observers.warned_of_traffic = [](const std::string& warning) { warn(warning); };
    observers.run_finished = [&](const Result& result, const IterationLog& log) {
      const RunResult& run = result.runs.back();
      output.add_iterations(run, log, scenario.warmup_iterations);
      warn_without_precision(scenario, run, fmt::format("{} with seed {}", run.label, seeds.back()));
      const double took_s = std::chrono::duration<double>(Clock::now() - begun).count();
      begun = Clock::now();
      double& all_s = taken_s[result.runs.size() - 1];
      all_s += took_s;
      if (i + 1 == arguments.seeds) output.end_seeds(combined_with(result, results, seeds), all_s);
      progress.advance_with(left.end_task(took_s));
    };
    results.push_back(simulate_and_explain(scenario, observers));
    all = combine_replications(results, seeds);
    output.add_result(all);
  }
  progress.clear();
  return all;
}

}  // namespace starling
