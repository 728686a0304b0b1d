#include "commands/running/run_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <system_error>
#include <vector>

#include "analysis/jobs/jobs_table.hpp"
#include "analysis/report/report.hpp"
#include "analysis/results/files/result_json.hpp"
#include "analysis/results/files/results_folder.hpp"
#include "analysis/results/result_table.hpp"
#include "analysis/sensitivity/sensitivity_text.hpp"
#include "analysis/uncertainty/ties.hpp"
#include "analysis/uncertainty/uncertain_quantities.hpp"
#include "analysis/uncertainty/uncertainty.hpp"
#include "base/texts/number_in.hpp"
#include "commands/running/resumed_run.hpp"
#include "commands/running/run_output.hpp"
#include "commands/running/simulated_runs.hpp"
#include "commands/shared/common_options.hpp"
#include "commands/shared/json_line.hpp"
#include "commands/shared/output_place.hpp"
#include "io/output_file.hpp"
#include "io/terminal/terminal.hpp"
#include "scenarios/reading/scenario_hash.hpp"
#include "scenarios/reading/scenario_reader.hpp"

namespace starling {
namespace {

/// Parses "3-5", or "3". @throws UsageError if it is no range, or its last number is not below `count`.
TraceRange trace_range(const std::string& option, const std::string& text, std::int64_t count,
                       const std::string& of) {
  const std::size_t dash = text.find('-');
  const auto first = number_in<std::uint32_t>(text.substr(0, dash));
  const auto last = dash == std::string::npos ? first : number_in<std::uint32_t>(text.substr(dash + 1));
  if (!first || !last || *first > *last)
    throw UsageError(
        fmt::format("{}: \"{}\" is no range; expected one such as 3-5, or a number", option, text));
  if (*last >= count)
    throw UsageError(
        fmt::format("{}: \"{}\" goes beyond the scenario's {} 0 to {}", option, text, of, count - 1));
  return {*first, *last};
}

TraceSelection trace_selection(const Scenario& scenario, const RunArguments& arguments) {
  TraceSelection selection;
  std::int64_t iterations = scenario.iterations;
  if (scenario.precision) iterations = scenario.precision->most_iterations;
  for (const SharedJob& job : scenario.jobs) iterations = std::max(iterations, job.scenario.iterations);
  if (arguments.trace_iterations)
    selection.iterations =
        trace_range("--trace-iterations", *arguments.trace_iterations, iterations, "iterations");
  if (arguments.trace_workers)
    selection.workers =
        trace_range("--trace-workers", *arguments.trace_workers, scenario.cluster.workers, "workers");
  return selection;
}

TraceJson& trace_in(ResultsFolder& folder, const Scenario& scenario, const TraceSelection& shown) {
  const int runs = scenario.jobs.empty() ? static_cast<int>(scenario.algorithms.size()) : 1;
  TraceJson& trace = folder.add_trace(runs, shown);
  trace.set_gradient_type(scenario.as_read);
  return trace;
}

void check_files_have_folder(const RunArguments& arguments) {
  if (arguments.out) return;
  if (arguments.is_reported) throw UsageError("--report needs --out DIR");
  if (arguments.is_resumed) throw UsageError("--resume needs --out DIR");
}

void check_several_seeds(const RunArguments& arguments) {
  if (arguments.is_traced)
    throw UsageError("--trace shows one run of each algorithm; leave out --seeds, or set /seed");
  if (arguments.watching.anything())
    throw UsageError(
        "--links and --critical-path report one run of each algorithm; leave out --seeds, or set /seed");
  if (arguments.finds_sensitivity)
    throw UsageError(
        "--sensitivity varies one run of each algorithm; leave out --seeds: more iterations reduce its "
        "error");
  if (arguments.finds_uncertainty)
    throw UsageError("--uncertainty runs other seeds itself; leave out --seeds");
}

void check_usage(const RunArguments& arguments) {
  check_trace_has_folder(arguments.is_traced, arguments.out.has_value());
  if ((arguments.trace_iterations || arguments.trace_workers) && !arguments.is_traced)
    throw UsageError("--trace-iterations and --trace-workers choose what --trace shows; add --trace");
  check_files_have_folder(arguments);
  if (arguments.seeds < 1) throw UsageError(fmt::format("--seeds: {} is less than 1", arguments.seeds));
  if (arguments.seeds > 1) check_several_seeds(arguments);
  if (arguments.prints_result && (arguments.prints_lines || arguments.finds_sensitivity))
    throw UsageError("--print-result prints one document; leave out --json and --sensitivity");
  if (arguments.is_resumed && (arguments.finds_sensitivity || arguments.finds_uncertainty))
    throw UsageError(
        "--resume keeps a finished result as it is; leave it out with --sensitivity and --uncertainty");
  if (arguments.is_resumed && arguments.is_forced)
    throw UsageError("--resume and --force exclude each other: a finished result is kept, or replaced");
}

/// Checks, before the run, that report.html and sensitivity.json can be written beside the result.
void check_places_beside_result(const RunArguments& arguments) {
  if (!arguments.out) return;
  const std::filesystem::path page = *arguments.out / "report.html";
  std::error_code unknown;  // ignored: locking the folder reports such errors
  if (arguments.is_reported && std::filesystem::exists(page, unknown)) check_place_of_page(page);
  if (arguments.finds_sensitivity) refuse_folder_in_place_of(*arguments.out / "sensitivity.json");
}

void add_uncertainty(const Scenario& scenario, Result& result, ProgressLine& progress) {
  const UncertaintyOptions options;
  progress.expect(options.draws + options.jitters);
  progress.begin("uncertainty");
  const int draws_that_did_not_fit = find_uncertainty(scenario, options, result, [&] { progress.advance(); });
  progress.clear();
  if (draws_that_did_not_fit > 0)
    warn(
        fmt::format("{} draws of the quantities with a relative_error were invalid in this scenario and were "
                    "drawn again: intervals exclude them",
                    draws_that_did_not_fit));
}

void warn_of_ties(const Scenario& scenario, const Result& result, ProgressLine& progress) {
  progress.begin("ties");
  const std::vector<std::string> warnings = tie_warnings(scenario, result);
  progress.clear();
  for (const std::string& warning : warnings) warn(warning);
  for (const std::string& warning : unchecked_tie_warnings(scenario, result)) warn(warning);
}

/// Prints the sensitivities of the result, and writes them to the folder, if there is one.
void report_sensitivity(const Scenario& scenario, const nlohmann::json& written, const Result& result,
                        const RunArguments& arguments, ProgressLine& progress) {
  const nlohmann::ordered_json document = document_to_vary(scenario, written);
  progress.expect(static_cast<std::int64_t>(numbers_that_vary(document).size()));
  progress.begin("sensitivity");
  const Sensitivity sensitivity = sensitivity_of(scenario, document, result, [&] { progress.advance(); });
  progress.clear();
  const nlohmann::ordered_json found = sensitivity_json(sensitivity, ScenarioHash().of(scenario));
  if (arguments.out) write_atomically(*arguments.out / "sensitivity.json", found.dump(2) + "\n");
  if (arguments.prints_lines)
    print_json_line(found);
  else
    print_out(fmt::format("\n{}", sensitivity_table(sensitivity)));
}

/// Lines of JSON were printed when runs ended, except with --uncertainty, which adds to them.
void print(const Scenario& scenario, const Result& result, const RunArguments& arguments) {
  if (arguments.prints_result) {
    print_json(result_json_text(result, ScenarioHash().of(scenario)));
  } else if (arguments.prints_lines) {
    if (arguments.finds_uncertainty) print_lines(result);
  } else {
    print_out(result.jobs.empty() ? result_table(result) : jobs_table(result));
    if (arguments.finds_uncertainty) print_out(fmt::format("\n{}", uncertainty_table(scenario, {}, result)));
  }
}

void write_report(const std::filesystem::path& folder) {
  write_atomically(folder / "report.html", report_page(report_of(folder / "result.json")));
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
  run.add_option("--trace-iterations", "A-B", &arguments->trace_iterations,
                 "Only iterations A to B of the timeline, counted from 0");
  run.add_option("--trace-workers", "A-B", &arguments->trace_workers,
                 "Only workers A to B, and messages between these");
  run.add_flag(
      "--links", arguments->watching.links,
      "Also report the traffic of every link: `links` in result.json, and a table of the ten busiest; "
      "collectives other than rings are then simulated message by message, which may take longer");
  run.add_flag("--critical-path", arguments->watching.critical_path,
               "Also report the critical path of the iterations: `critical_path` in result.json, and a "
               "table; with --trace the path of each iteration is in the timeline; collectives other than "
               "rings are then simulated message by message");
  run.add_flag("--sensitivity", arguments->finds_sensitivity,
               "Also run with every number of the cluster and the workload a little greater and less, and "
               "report the effect of each: a table, and sensitivity.json");
  run.add_flag("--report", arguments->is_reported,
               "Also make report.html in DIR, a page of charts, as starling report does");
  run.add_flag(
      "--uncertainty", arguments->finds_uncertainty,
      "Also run with 20 other seeds and draws of the quantities that have a relative_error, and 5 times with "
      "latencies and computing times changed by at most 0.1 %, and report the uncertainty of each time");
  run.add_option("--seeds", "N", &arguments->seeds,
                 "Run with N seeds, counted up from the scenario's, and report means with standard errors; "
                 "learning is reported for the first seed (default: 1)");
  run.add_flag("--json", arguments->prints_lines,
               "In place of the table, print a line of JSON for every algorithm as it ends: its entry of "
               "`runs` in result.json (starling schema result)");
  run.add_flag("--print-result", arguments->prints_result,
               "In place of the table, print what --out writes to result.json");
  run.add_flag(
      "--force", arguments->is_forced,
      "Replace a finished result in DIR, and run even if time, memory or disk space is insufficient");
  run.add_flag("--resume", arguments->is_resumed,
               "Do nothing if DIR has the finished result of this scenario already; run it if DIR has none; "
               "with another finished result exit with code 2 (--force replaces it)");
  add_overrides(run, arguments->overrides, "scenario");
  add_quiet(run, arguments->is_quiet);
  run.set_footer(
      "Examples:\n"
      "  starling run scenarios/quickstart.json\n"
      "  starling run scenarios/quickstart.json --out results/first --trace\n"
      "  starling run scenarios/quickstart.json --set /cluster/workers=64 --set "
      "/cluster/network/link/bandwidth=10Gbps\n"
      "  jq '.seed = 7' scenarios/quickstart.json | starling run - --json\n"
      "Logs of more than 512 MiB are kept on disk during the run, in the folder of TMPDIR, else in "
      "/var/tmp.\n"
      "Exit codes: 0 done, 1 the run failed, 2 the input is wrong. Finished results are not replaced without "
      "--force.");
  run.does(arguments, run_command);
}

void run_command(const RunArguments& arguments) {
  check_usage(arguments);
  check_places_beside_result(arguments);
  warn_of_other_processes("run");
  if (arguments.is_reported) check_that_pages_can_be_made();
  ScenarioDocument document =
      read_document(arguments.scenario, with_engine(arguments.overrides, arguments.engine));
  const Scenario scenario = read_scenario(document);
  if (arguments.seeds > 1 && !scenario.jobs.empty())
    throw UsageError("--seeds: several jobs run with one seed at a time; starling sweep runs several");
  if (arguments.finds_uncertainty && !scenario.jobs.empty())
    throw UsageError("--uncertainty: not available for several jobs; starling sweep runs several seeds");
  if (!arguments.finds_uncertainty && !uncertain_quantities(scenario.as_read).empty())
    warn(
        "the scenario gives quantities with a relative_error; --uncertainty shows their effect on the "
        "prediction");
  if (arguments.finds_sensitivity && !scenario.jobs.empty())
    throw UsageError(
        "--sensitivity: not available for several jobs; starling sweep runs variants of any scenario");
  for (const std::string& warning : scenario.warnings) warn(warning);

  const TraceSelection shown = trace_selection(scenario, arguments);
  if (arguments.is_resumed && is_finished(scenario, arguments, shown)) {
    if (arguments.is_reported) write_report(*arguments.out);
    if (!arguments.is_quiet)
      print_error(fmt::format("{} has this result already\n", arguments.out->string()));
    return;
  }
  if (arguments.is_resumed) refuse_other_result(*arguments.out);
  std::optional<ResultsFolder> folder;
  if (arguments.out)
    folder.emplace(*arguments.out, ResultsKind{.scenario_hash = ScenarioHash().of(scenario),
                                               .scenario_folder = folder_of_named_files(scenario),
                                               .may_replace = arguments.is_forced});
  TraceJson* const trace = arguments.is_traced ? &trace_in(*folder, scenario, shown) : nullptr;
  ProgressLine progress = progress_on_terminal(arguments.is_quiet);
  RunOutput output(folder ? &*folder : nullptr, arguments.prints_lines && !arguments.finds_uncertainty,
                   progress);
  const auto simulated = [&] {
    try {
      return arguments.seeds > 1 ? simulate_replications(document, scenario, arguments, output, progress)
                                 : simulate_once(scenario, arguments, output, progress, trace);
    } catch (...) {
      output.failed();
      throw;
    }
  };
  Result result = simulated();
  if (arguments.finds_uncertainty) add_uncertainty(scenario, result, progress);
  output.finish(result);
  if (!arguments.finds_uncertainty) warn_of_ties(scenario, result, progress);
  print(scenario, result, arguments);
  if (arguments.finds_sensitivity) report_sensitivity(scenario, document.json, result, arguments, progress);
  if (arguments.is_reported) write_report(*arguments.out);
  if (folder) report_written(folder->path(), arguments.is_quiet);
}

}  // namespace starling
