#include "commands/run_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <system_error>

#include "analysis/explanation/explained_simulation.hpp"
#include "analysis/jobs/jobs_table.hpp"
#include "analysis/model/exact_runs.hpp"
#include "analysis/report/report.hpp"
#include "analysis/results/replications.hpp"
#include "analysis/results/result_json.hpp"
#include "analysis/results/result_table.hpp"
#include "analysis/results/results_folder.hpp"
#include "analysis/running/demand.hpp"
#include "analysis/sensitivity/sensitivity_text.hpp"
#include "analysis/uncertainty/ties.hpp"
#include "analysis/uncertainty/uncertainty.hpp"
#include "base/number_in.hpp"
#include "commands/shared/common_options.hpp"
#include "commands/shared/interruption.hpp"
#include "commands/shared/json_line.hpp"
#include "io/json_text.hpp"
#include "io/output_file.hpp"
#include "io/scenario_error.hpp"
#include "io/terminal.hpp"
#include "io/text_table.hpp"
#include "scenarios/reading/scenario_hash.hpp"
#include "scenarios/reading/scenario_reader.hpp"

namespace starling {
namespace {

void print_lines(const Result& result) {
  for (const RunResult& run : result.runs) print_json_line(run_json(run));
}

/// Where the results of a run go to, besides the table: files, lines of JSON, and word of what is kept.
class RunOutput {
 public:
  /// The folder is null where nothing is kept.
  RunOutput(ResultsFolder* folder, bool prints_lines, ProgressLine& progress)
      : folder_(folder),
        prints_lines_(prints_lines),
        progress_(progress),
        interruption_(nothing_kept(folder != nullptr)) {
    if (folder != nullptr) outlive_reader();
  }

  void add(const Result& result, const IterationLog& log, std::int64_t warmup_iterations) {
    progress_.clear();
    keep([&] { folder_->save(result, log, warmup_iterations); });
    if (prints_lines_)
      print_json_line(run_json(result.runs.back()));
    else
      progress_.end(fmt::format("{} an iteration", time_text(result.runs.back().iteration_time_s.mean)));
  }
  void add(const Result& result, const JobResult& job, const IterationLog& log) {
    progress_.clear();
    keep([&] { folder_->save(result, job, log); });
    if (prints_lines_) print_json_line(result_json(result).at("jobs").back());
  }
  void add_iterations(const RunResult& run, const IterationLog& log, std::int64_t warmup_iterations) {
    progress_.clear();
    if (folder_ != nullptr) folder_->save_iterations(run, log, warmup_iterations);
  }
  void add_result(const Result& result) {
    keep([&] { folder_->save_result(result); });
  }
  void finish(const Result& result) {
    if (folder_ == nullptr) return;
    const InterruptsWait wait;
    folder_->finish(result);
    interruption_.keeps(finished_is_in(folder_->result_path()));
  }

  /// Removes the progress line, and says where what was finished is.
  void failed() {
    progress_.clear();
    if (folder_ != nullptr && folder_->has_results())
      warn("what was finished before the error is in " + folder_->partial_result_path().string());
  }

 private:
  template <typename Save>
  void keep(const Save& save) {
    if (folder_ == nullptr) return;
    const InterruptsWait wait;
    save();
    interruption_.keeps(finished_is_in(folder_->partial_result_path()));
  }

  ResultsFolder* folder_;
  bool prints_lines_;
  ProgressLine& progress_;
  Interruption interruption_;
};

void tell_usual_demand(const JobDemand& demand, const MachineSupply& supply, const RunArguments& arguments) {
  if (arguments.is_quiet) return;
  if (const auto text = usual_demand_text(demand, supply, arguments.seeds))
    print_error(fmt::format("starling: {}\n", *text));
}

/// Refuses what cannot be, unless that is forced; with other seeds, of which nothing is told.
void refuse_demand(const ScenarioJob& job, const RunArguments& arguments) {
  if (!arguments.is_forced) refuse_shortage(job, supply_of_machine(arguments.out), Forcing::possible);
}

/// The same, and tells of what takes long.
void check_demand(const ScenarioJob& job, const RunArguments& arguments) {
  if (arguments.is_forced && arguments.is_quiet) return;
  const ExactRuns exact_runs;
  const MachineSupply supply = supply_of_machine(arguments.out);
  const JobDemand demand = demand_of(
      job, {.watching = arguments.watching, .is_traced = arguments.is_traced, .evaluator = &exact_runs});
  if (!arguments.is_forced) refuse_shortage(job, demand, supply, Forcing::possible);
  tell_usual_demand(demand, supply, arguments);
}

/// The run of that label has ended.
void finish_run(TraceJson& trace, const std::optional<LinkUses>& links, const std::string& label) {
  if (links) trace.counters(*links);
  report_cut_off(trace, label);
}

void warn_without_path(const RunResult& run) {
  if (run.critical_path) return;
  warn(
      fmt::format("{}: an iteration has more steps than are kept to find its critical path (67 million); "
                  "fewer workers have fewer",
                  run.label));
}

void warn_without_precision(const WantedPrecision& wanted, const RunResult& run) {
  const SampleEstimate& mean_s = run.sampling.mean_s;
  if (mean_s.has_error() && mean_s.standard_error <= wanted.standard_error * mean_s.value) return;
  const std::string error =
      mean_s.has_error() ? fmt::format("{:.2g}", mean_s.standard_error / mean_s.value) : "not known";
  warn(
      fmt::format("{}: the relative standard error is {} after {} iterations, as many as there may be "
                  "(/iterations/most), not the {:.2g} that is wanted",
                  run.label, error, wanted.most_iterations, wanted.standard_error));
}

/// Simulates under a progress line; what is finished is saved at once. The timeline may be absent.
Result simulate_once(const Scenario& scenario, const RunArguments& arguments, RunOutput& output,
                     ProgressLine& progress, TraceJson* trace) {
  RunObservers observers{.progress = &progress, .trace = trace, .watching = arguments.watching};
  observers.job_made = [&](const ScenarioJob& job) { check_demand(job, arguments); };
  observers.warned_of_traffic = [](const std::string& warning) { warn(warning); };
  observers.jobs_made = [&](const JobDemand& demand) {
    const MachineSupply supply = supply_of_machine(arguments.out);
    if (!arguments.is_forced) refuse_shortage(scenario, demand, supply, Forcing::possible);
    tell_usual_demand(demand, supply, arguments);
  };
  if (trace != nullptr) observers.run_begun = std::bind_front(&TraceJson::begin_run, trace);
  observers.run_finished = [&](const Result& result, const IterationLog& log) {
    output.add(result, log, scenario.warmup_iterations);
    if (arguments.watching.critical_path) warn_without_path(result.runs.back());
    if (scenario.precision) warn_without_precision(*scenario.precision, result.runs.back());
    if (trace != nullptr) finish_run(*trace, result.runs.back().links, result.runs.back().label);
  };
  observers.job_finished = [&](const Result& result, const JobResult& job, const IterationLog& log) {
    output.add(result, job, log);
    if (arguments.watching.critical_path) warn_without_path(job.run);
    if (trace != nullptr && &job == &result.jobs.front()) finish_run(*trace, result.links, "all jobs");
  };
  return simulate_and_explain(scenario, observers);
}

/// The same with as many seeds, counted up from the scenario's own.
Result simulate_replications(ScenarioDocument& document, const Scenario& first, const RunArguments& arguments,
                             RunOutput& output, ProgressLine& progress) {
  progress.expect(arguments.seeds * static_cast<std::int64_t>(first.algorithms.size()));
  std::vector<Result> results;
  std::vector<std::uint64_t> seeds;
  for (int i = 0; i < arguments.seeds; ++i) {
    seeds.push_back(later_seed(first.seed, static_cast<std::uint64_t>(i)));
    change(document, fmt::format("/seed={}", seeds.back()));
    const Scenario scenario = read_scenario(document);
    progress.go_on(fmt::format("seed {}", seeds.back()));
    RunObservers observers;
    observers.job_made = [&](const ScenarioJob& job) {
      results.empty() ? check_demand(job, arguments) : refuse_demand(job, arguments);
    };
    if (results.empty()) observers.warned_of_traffic = [](const std::string& warning) { warn(warning); };
    observers.run_finished = [&](const Result& result, const IterationLog& log) {
      output.add_iterations(result.runs.back(), log, scenario.warmup_iterations);
      progress.advance();
    };
    results.push_back(simulate_and_explain(scenario, observers));
    output.add_result(combine_replications(results, seeds));
  }
  Result all = combine_replications(results, seeds);
  progress.clear();
  if (arguments.prints_lines) print_lines(all);
  return all;
}

/// Whether the folder has all files of such a run, and something in each.
bool has_files(const Scenario& scenario, const RunArguments& arguments) {
  std::vector<const char*> names{"result.json", "iterations.csv"};
  if (scenario.learning) names.push_back("learning.csv");
  if (arguments.is_traced) names.push_back("trace.json");
  return std::ranges::all_of(names, [&](const char* name) {
    std::error_code missing;
    const std::uintmax_t bytes = std::filesystem::file_size(*arguments.out / name, missing);
    return !missing && bytes > 0;
  });
}

/// Whether the folder has the prediction of this very scenario, with as many seeds and all that is asked for,
/// by this version.
bool is_finished(const Scenario& scenario, const RunArguments& arguments) {
  const std::filesystem::path file = *arguments.out / "result.json";
  if (!has_files(scenario, arguments)) return false;
  const nlohmann::json result = parse_json(read_text_file(file), file.string());
  if (value_at(result, "/scenario_hash") != ScenarioHash().of(scenario) ||
      value_at(result, "/engine") == measured_engine)
    return false;
  const auto has = [&result](const char* pointer) {
    return result.contains(nlohmann::json::json_pointer(pointer));
  };
  if (arguments.watching.links && !has("/links") && !has("/runs/0/links")) return false;
  if (arguments.watching.critical_path && !has("/runs/0/critical_path") && !has("/jobs/0/critical_path"))
    return false;
  const nlohmann::json replications = value_at(result, "/runs/0/replications");
  const std::size_t seeds = replications.is_null() ? 1 : replications.size();
  return seeds == static_cast<std::size_t>(arguments.seeds);
}

/// @throws ScenarioError if a finished result is in the folder, which is not the one to be resumed.
void refuse_other_result(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(folder / "result.json")) return;
  throw ScenarioError({"--resume", "",
                       "the finished result there is of another scenario, engine or version, or lacks a file "
                       "or something else that is asked for now",
                       (folder / "result.json").string(), "another folder, or --force to replace it"});
}

/// "3-5", or "3". @throws UsageError if it is no range, or goes beyond the `count` that there are.
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

void check_usage(const RunArguments& arguments) {
  check_trace_has_folder(arguments.is_traced, arguments.out.has_value());
  if ((arguments.trace_iterations || arguments.trace_workers) && !arguments.is_traced)
    throw UsageError("--trace-iterations and --trace-workers choose what --trace shows; add --trace");
  check_files_have_folder(arguments);
  if (arguments.seeds < 1) throw UsageError(fmt::format("--seeds: {} is less than 1", arguments.seeds));
  if (arguments.seeds > 1 && arguments.is_traced)
    throw UsageError("--trace shows one run of each algorithm; leave out --seeds, or set /seed");
  if (arguments.seeds > 1 && arguments.watching.anything())
    throw UsageError(
        "--links and --critical-path are about one run of each algorithm; leave out --seeds, or set /seed");
  if (arguments.seeds > 1 && arguments.finds_sensitivity)
    throw UsageError(
        "--sensitivity varies one run of each algorithm; leave out --seeds: more iterations make it surer");
  if (arguments.seeds > 1 && arguments.finds_uncertainty)
    throw UsageError("--uncertainty runs other seeds itself; leave out --seeds");
  if (arguments.prints_result && (arguments.prints_lines || arguments.finds_sensitivity))
    throw UsageError("--print-result prints one document; leave out --json and --sensitivity");
  if (arguments.is_resumed && (arguments.finds_sensitivity || arguments.finds_uncertainty))
    throw UsageError(
        "--resume keeps a finished result as it is; leave it out with --sensitivity and --uncertainty");
  if (arguments.is_resumed && arguments.is_forced)
    throw UsageError("--resume and --force exclude each other: a finished result is kept, or replaced");
}

void add_uncertainty(const Scenario& scenario, Result& result, ProgressLine& progress) {
  const UncertaintyOptions options;
  progress.expect(options.draws + options.jitters);
  progress.begin("uncertainty");
  const int draws_that_did_not_fit = find_uncertainty(scenario, options, result, [&] { progress.advance(); });
  progress.clear();
  if (draws_that_did_not_fit > 0)
    warn(
        fmt::format("{} draws of the quantities with a relative_error did not fit the rest of the scenario, "
                    "and were drawn again: intervals leave them out",
                    draws_that_did_not_fit));
}

void warn_of_ties(const Scenario& scenario, const Result& result, ProgressLine& progress) {
  progress.begin("ties");
  const std::vector<std::string> warnings = tie_warnings(scenario, result);
  progress.clear();
  for (const std::string& warning : warnings) warn(warning);
}

/// Prints what the result follows from, and writes it to the folder, if there is one.
void tell_sensitivity(const Scenario& scenario, const nlohmann::json& written, const Result& result,
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

/// Lines of JSON have been printed before, but where something was found out since.
void print(const Scenario& scenario, const Result& result, const RunArguments& arguments) {
  if (arguments.prints_result) {
    print_out(result_text(result, ScenarioHash().of(scenario)));
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
  run.add_flag("--links", arguments->watching.links,
               "Also say what every link carried: `links` in result.json, and a table of the ten busiest; "
               "collectives other than rings then go message by message, which may take longer");
  run.add_flag("--critical-path", arguments->watching.critical_path,
               "Also say what the iterations had to wait for, one thing after the other: `critical_path` in "
               "result.json, and a table; collectives other than rings then go message by message");
  run.add_flag(
      "--sensitivity", arguments->finds_sensitivity,
      "Also run with every number of the cluster and the workload a little greater and less, and say "
      "how much each matters: a table, and sensitivity.json");
  run.add_flag("--report", arguments->is_reported,
               "Also make report.html in DIR, a page of charts, as starling report does");
  run.add_flag(
      "--uncertainty", arguments->finds_uncertainty,
      "Also run with 20 other seeds and draws of the quantities that have a relative_error, and 5 times "
      "with latencies and computing times changed by a thousandth, and say how sure each time is");
  run.add_option("--seeds", "N", &arguments->seeds,
                 "Run with so many seeds, from the scenario's on, and report means with their errors; what "
                 "is learned is that of the first one (default: 1)");
  run.add_flag("--json", arguments->prints_lines,
               "In place of the table, a line of JSON for every algorithm as it ends: what `runs` holds in "
               "result.json (starling schema result)");
  run.add_flag("--print-result", arguments->prints_result,
               "In place of the table, print what --out writes to result.json");
  run.add_flag("--force", arguments->is_forced,
               "Replace a finished result in DIR, and run even if time, memory or room on disk will not do");
  run.add_flag(
      "--resume", arguments->is_resumed,
      "Do nothing if DIR has the finished result of this scenario already; run it if DIR has none; with "
      "another finished result end with code 2, and ask for --force");
  add_overrides(run, arguments->overrides, "scenario");
  add_quiet(run, arguments->is_quiet);
  run.set_footer(
      "Examples:\n"
      "  starling run scenarios/quickstart.json\n"
      "  starling run scenarios/quickstart.json --out results/first --trace\n"
      "  starling run scenarios/quickstart.json --set /cluster/workers=64 --set "
      "/cluster/network/link/bandwidth=10Gbps\n"
      "  jq '.seed = 7' scenarios/quickstart.json | starling run - --json\n"
      "Exit codes: 0 done, 1 the run failed, 2 the input is wrong. Finished results are not replaced without "
      "--force.");
  run.does(arguments, run_command);
}

void run_command(const RunArguments& arguments) {
  check_usage(arguments);
  warn_of_other_processes("run");
  if (arguments.is_reported) check_that_pages_can_be_made();
  ScenarioDocument document =
      read_document(arguments.scenario, with_engine(arguments.overrides, arguments.engine));
  const Scenario scenario = read_scenario(document);
  if (arguments.seeds > 1 && !scenario.jobs.empty())
    throw UsageError("--seeds: several jobs run with one seed at a time; starling sweep runs several");
  if (arguments.finds_uncertainty && !scenario.jobs.empty())
    throw UsageError("--uncertainty: not found for several jobs; starling sweep runs several seeds");
  if (!arguments.finds_uncertainty && !uncertain_quantities(scenario.as_read).empty())
    warn("the scenario gives quantities with a relative_error; --uncertainty says what follows from that");
  if (arguments.finds_sensitivity && !scenario.jobs.empty())
    throw UsageError(
        "--sensitivity: several jobs are not varied; starling sweep runs variants of any scenario");
  for (const std::string& warning : scenario.warnings) warn(warning);

  if (arguments.is_resumed && is_finished(scenario, arguments)) {
    if (arguments.is_reported) write_report(*arguments.out);
    if (!arguments.is_quiet)
      print_error(fmt::format("{} has this result already\n", arguments.out->string()));
    return;
  }
  if (arguments.is_resumed) refuse_other_result(*arguments.out);
  const TraceSelection shown = trace_selection(scenario, arguments);
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
  if (arguments.finds_sensitivity) tell_sensitivity(scenario, document.json, result, arguments, progress);
  if (arguments.is_reported) write_report(*arguments.out);
  if (folder) report_written(folder->path(), arguments.is_quiet);
}

}  // namespace starling
