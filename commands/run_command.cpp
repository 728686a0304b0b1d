#include "commands/run_command.hpp"

#include <functional>

#include "analysis/explanation/explained_simulation.hpp"
#include "analysis/jobs/jobs_table.hpp"
#include "analysis/results/result_table.hpp"
#include "analysis/results/results_folder.hpp"
#include "analysis/running/demand.hpp"
#include "analysis/running/placement_warnings.hpp"
#include "commands/common_options.hpp"
#include "commands/interruption.hpp"
#include "io/terminal.hpp"
#include "scenarios/reading/scenario_reader.hpp"

namespace starling {
namespace {

/// Simulates under a progress line; what is finished is saved at once. The folder and the timeline may be
/// absent.
Result simulate_and_save(const Scenario& scenario, const RunArguments& arguments, ResultsFolder* folder,
                         TraceJson* trace) {
  ProgressLine progress = progress_on_terminal(arguments.is_quiet);
  Interruption interruption(nothing_kept(folder != nullptr));
  RunObservers observers{.progress = &progress, .trace = trace};
  observers.job_made = [&](const ScenarioJob& job) {
    if (!arguments.is_forced) refuse_shortage(job, supply_of_machine(arguments.out));
    for (const std::string& warning : placement_warnings(job)) warn(warning);
  };
  observers.jobs_made = [&](const JobDemand& demand) {
    if (!arguments.is_forced) refuse_shortage(scenario, demand, supply_of_machine(arguments.out));
  };
  if (trace != nullptr) observers.run_begun = std::bind_front(&TraceJson::begin_run, trace);
  observers.run_finished = [&](const Result& result, const IterationLog& log) {
    progress.clear();
    if (folder != nullptr) {
      folder->save(result, log, scenario.warmup_iterations);
      interruption.keeps(finished_is_in(folder->partial_result_path()));
    }
    if (trace != nullptr) report_cut_off(*trace, result.runs.back().label);
  };
  observers.job_finished = [&](const Result& result, const JobResult& job, const IterationLog& log) {
    progress.clear();
    if (folder != nullptr) folder->save(result, job, log);
    if (trace != nullptr && &job == &result.jobs.front()) report_cut_off(*trace, "all jobs");
  };
  try {
    return simulate_and_explain(scenario, observers);
  } catch (...) {
    progress.clear();
    if (folder != nullptr && folder->has_results())
      warn("what was finished before the error is in " + folder->partial_result_path().string());
    throw;
  }
}

}  // namespace

void add_run(CommandLine& line) {
  const auto arguments = std::make_shared<RunArguments>();
  Command run = line.add_command("run", "Predict the iteration time of every algorithm of a scenario");
  add_scenario(run, arguments->scenario);
  add_engine(run, arguments->engine, "Network model", "the scenario's");
  add_out(run, arguments->out,
          "Folder for result.json and iterations.csv; without it only the table is printed");
  add_trace(run, arguments->is_traced);
  run.add_flag("--force", arguments->is_forced, "Run even if time, memory or room on disk will not do");
  add_overrides(run, arguments->overrides, "scenario");
  add_quiet(run, arguments->is_quiet);
  run.set_footer(
      "Examples:\n"
      "  starling run scenarios/quickstart.json\n"
      "  starling run scenarios/quickstart.json --out results/first --trace\n"
      "  starling run scenarios/quickstart.json --set /cluster/workers=64 --set "
      "/cluster/network/link/bandwidth=10Gbps\n"
      "Exit codes: 0 done, 1 the run failed, 2 the input is wrong. Finished results are never replaced.");
  run.does(arguments, run_command);
}

void run_command(const RunArguments& arguments) {
  check_trace_has_folder(arguments.is_traced, arguments.out.has_value());
  std::vector<std::string> overrides = arguments.overrides;
  if (arguments.engine) overrides.push_back(engine_override(*arguments.engine));
  const Scenario scenario = read_scenario(arguments.scenario, overrides);
  for (const std::string& warning : scenario.warnings) warn(warning);

  std::optional<ResultsFolder> folder;
  if (arguments.out) folder.emplace(*arguments.out);
  TraceJson* const trace =
      arguments.is_traced
          ? &folder->add_trace(scenario.jobs.empty() ? static_cast<int>(scenario.algorithms.size()) : 1)
          : nullptr;
  const Result result = simulate_and_save(scenario, arguments, folder ? &*folder : nullptr, trace);
  if (folder) folder->finish(result);
  print_out(result.jobs.empty() ? result_table(result) : jobs_table(result));
  if (folder) report_written(folder->path(), arguments.is_quiet);
}

}  // namespace starling
