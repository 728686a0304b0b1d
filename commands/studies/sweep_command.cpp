#include "commands/studies/sweep_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/results/files/saved_result.hpp"
#include "analysis/results/result_table.hpp"
#include "analysis/studies/sweep_estimate.hpp"
#include "analysis/studies/sweep_executor.hpp"
#include "analysis/studies/sweep_figures.hpp"
#include "analysis/studies/sweep_merge.hpp"
#include "analysis/studies/sweep_reader.hpp"
#include "analysis/studies/sweep_run.hpp"
#include "analysis/studies/sweep_tables.hpp"
#include "base/texts/number_in.hpp"
#include "commands/shared/common_options.hpp"
#include "commands/shared/interruption.hpp"
#include "commands/shared/json_line.hpp"
#include "commands/shared/output_place.hpp"
#include "commands/studies/study_options.hpp"
#include "io/json/json_text.hpp"
#include "io/scenario_error.hpp"
#include "io/terminal/terminal.hpp"
#include "io/texts/text_table.hpp"

namespace starling {
namespace {

void read_shard(const std::string& text, SweepOptions& options) {
  const std::size_t slash = text.find('/');
  if (slash != std::string::npos) {
    options.shard = number_in<int>(std::string_view(text).substr(0, slash)).value_or(0);
    options.shards = number_in<int>(std::string_view(text).substr(slash + 1)).value_or(0);
  }
  if (slash == std::string::npos || options.shard < 1 || options.shards < options.shard)
    throw UsageError(fmt::format("--shard: \"{}\" is not I/N, with I from 1 to N", text));
}

SweepOptions options_of(const SweepArguments& arguments) {
  SweepOptions options{.jobs = checked_jobs(arguments.jobs),
                       .run_limit = checked_run_limit(arguments.run_limit)};
  if (arguments.shard) read_shard(*arguments.shard, options);
  return options;
}

/// A text with the numbers of combinations and runs, and the expected time.
std::string estimate_text(const SweepPlan& plan, const SweepOptions& options, std::int64_t runs) {
  return fmt::format("{}, {}, about {} with {}", counted(plan.combinations(), "combination"),
                     counted(runs, "run"), time_text(time_of_runs_s(plan, options) / options.jobs),
                     counted(options.jobs, "job"));
}

/// Prints a line for each combination, or for each run with --json, as it ends.
class SweepReport {
 public:
  SweepReport(const SweepPlan& plan, const SweepArguments& arguments, ProgressLine& progress)
      : plan_(plan), arguments_(arguments), progress_(progress) {}

  void run_ended(const SweepRun& run) {
    if (arguments_.prints_lines) print_line(run);
    std::vector<SweepRun>& runs = running_[run.combination];
    runs.push_back(run);
    if (static_cast<int>(runs.size()) == plan_.seeds()) {
      if (!arguments_.prints_lines) print_combination(runs);
      running_.erase(run.combination);
    }
    progress_.advance();
  }

  void skipped(std::int64_t combination, const std::string& reason) {
    if (arguments_.prints_lines) return;
    print_out(fmt::format("{}: skipped: {}\n", combination_text(plan_, combination), reason));
  }

  /// Prints what the standard errors above mean, and for each reason of failure that concerns several
  /// combinations the number of runs.
  void end() const {
    if (has_shown_errors_) print_out(note_of_errors(static_cast<std::size_t>(plan_.seeds())));
    for (const auto& [reason, failures] : failures_)
      if (failures.is_of_several)
        print_out(fmt::format("{} runs failed, the first with {}: {}\n", failures.runs,
                              name_of(failures.first), reason));
  }

 private:
  void print_line(const SweepRun& run) {
    nlohmann::ordered_json line{{"combination", run.combination},
                                {"replication", run.replication},
                                {"values", nlohmann::ordered_json::object()}};
    for (std::size_t i = 0; i < plan_.pointers().size(); ++i)
      line["values"][plan_.pointers()[i]] = plan_.values(run.combination)[i];
    line["error"] = run.is_done() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(run.error);
    if (run.is_done()) line["runs"] = blocks_of(run.result);
    progress_.clear();
    print_json_line(line);
  }

  /// Prints one line with the iteration times of all algorithms; or, if runs failed, one for each reason that
  /// was not printed before.
  void print_combination(std::vector<SweepRun>& runs) {
    std::ranges::sort(runs, {}, &SweepRun::replication);
    if (std::ranges::all_of(runs, &SweepRun::is_done)) {
      print(runs.front().combination, summary_text(runs));
    }
    for (const SweepRun& run : runs)
      if (!run.is_done() && is_first_failure(run)) print(run.combination, " failed: " + run.error);
  }

  void print(std::int64_t combination, const std::string& text) {
    progress_.clear();
    print_out(fmt::format("{}:{}\n", name_of(combination), text));
  }

  std::string name_of(std::int64_t combination) const {
    return plan_.pointers().empty() ? plan_.document(0, 0).file.filename().string()
                                    : combination_text(plan_, combination);
  }

  bool is_first_failure(const SweepRun& run) {
    Failures& failures = failures_.try_emplace(run.error, Failures{.first = run.combination}).first->second;
    failures.is_of_several |= run.combination != failures.first;
    failures.first = std::min(failures.first, run.combination);
    return ++failures.runs == 1;
  }

  std::string summary_text(const std::vector<SweepRun>& runs) {
    const std::size_t time = index_of_figure("iteration_time_s");
    std::string text;
    for (const SweepSummary& summary : summaries_of(runs)) {
      const SampleEstimate& mean = *summary.figures[time];
      has_shown_errors_ |= is_error_shown(mean.value, mean.standard_error);
      text += fmt::format("{} {} {}", text.empty() ? "" : ",", summary.algorithm,
                          time_text(mean.value, mean.standard_error));
    }
    return text;
  }

  /// Failed runs with the same error.
  struct Failures {
    std::int64_t first = 0;      // the first of their combinations
    bool is_of_several = false;  // whether they belong to several combinations
    std::int64_t runs = 0;
  };

  const SweepPlan& plan_;
  const SweepArguments& arguments_;
  ProgressLine& progress_;
  std::map<std::int64_t, std::vector<SweepRun>> running_;
  std::map<std::string, Failures> failures_;  // by error
  bool has_shown_errors_ = false;
};

/// The number of runs of the shard; 0 if there are more shards than combinations, and it is one of the last.
/// @throws UsageError if the whole sweep has nothing to run, or the shard has so many runs that it needs
/// --yes.
std::int64_t checked_runs(const SweepPlan& plan, const SweepOptions& options, bool is_confirmed) {
  constexpr std::int64_t most_counted = 100'000'000;
  if (plan.combinations() > most_counted)
    throw UsageError(
        fmt::format("sweep: {} combinations; a sweep has at most {}", plan.combinations(), most_counted));
  const SweepCounts counts = planned(plan, options);
  if (counts.done == 0 && planned(plan, {}).done == 0)
    throw UsageError(fmt::format("sweep: nothing to run: all combinations are skipped ({})",
                                 counted(plan.combinations(), "combination")));
  if (counts.done > most_unconfirmed_runs && !is_confirmed)
    throw UsageError(fmt::format("sweep: {}; --yes runs them", estimate_text(plan, options, counts.done)));
  return counts.done;
}

std::string counts_text(const SweepCounts& counts) {
  std::string text = fmt::format("{} done", counts.done);
  if (counts.reused > 0) text += fmt::format(", {} reused", counts.reused);
  if (counts.failed > 0) text += fmt::format(", {} failed (sweep_failed.csv)", counts.failed);
  if (counts.skipped_combinations > 0)
    text +=
        fmt::format(", {} skipped (sweep_failed.csv)", counted(counts.skipped_combinations, "combination"));
  return text;
}

void warn_of_runs_left_out(std::int64_t runs) {
  warn(fmt::format("earlier runs that stay in sweep.sqlite, but are no longer in the tables: {}", runs));
}

void refuse_same_folder(const std::filesystem::path& part, const std::filesystem::path& out) {
  std::error_code is_missing;
  if (std::filesystem::equivalent(part, out, is_missing))
    throw ScenarioError({"--out", "", "this folder is one of the parts", out.string(),
                         "another folder, for the joined sweep"});
}

}  // namespace

void add_sweep(CommandLine& line) {
  const auto arguments = std::make_shared<SweepArguments>();
  Command sweep = line.add_command("sweep", "Run a scenario in many variants");
  add_scenario(sweep, arguments->file, "FILE.json", "or a study that names one (starling schema study), ");
  sweep.add_option("--vary", "/json/pointer=A,B,C", &arguments->varied,
                   "Run with each of these values; several --vary are combined with each other");
  add_overrides(sweep, arguments->overrides, "scenario");
  add_seeds(sweep, arguments->seeds, "combination");
  add_jobs(sweep, arguments->jobs);
  sweep.add_option("--shard", "I/N", &arguments->shard,
                   "Run only the I-th of N parts, each with its own --out; starling merge joins them");
  add_out(sweep, arguments->out,
          "Required: folder for sweep.sqlite, sweep.csv, sweep_summary.csv and sweep_failed.csv; an "
          "interrupted sweep continues there, without repeating runs that have ended");
  add_run_limit(sweep, arguments->run_limit);
  add_confirmation(sweep, arguments->is_confirmed);
  sweep.add_flag("--force", arguments->is_forced,
                 "Replace the tables of another sweep in DIR; the runs of that sweep stay in sweep.sqlite");
  sweep.add_flag("--json", arguments->prints_lines,
                 "Print a line of JSON for every run, as it ends or if it is in DIR already");
  add_quiet(sweep, arguments->is_quiet);
  sweep.set_footer(
      "Examples:\n"
      "  starling sweep scenarios/quickstart.json --vary /cluster/workers=8,16,32 --seeds 5 --out "
      "results/scaling\n"
      "  starling plot results/scaling --x /cluster/workers --y iteration_time_s --out scaling.svg\n"
      "On a cluster with Slurm:\n"
      "  sbatch --array=1-16 scenarios/sweep.sbatch study.json results/parts\n"
      "  starling merge results/parts/* --out results/all\n"
      "Exit codes: 0 done, 1 a run failed (sweep_failed.csv says why; all others are there), 2 the input is "
      "wrong.");
  sweep.does(arguments, sweep_command);
}

int sweep_command(const SweepArguments& arguments) {
  const SweepPlan plan = read_sweep({.file = arguments.file,
                                     .varied = arguments.varied,
                                     .overrides = arguments.overrides,
                                     .seeds = arguments.seeds});
  const SweepOptions options = options_of(arguments);
  if (!arguments.out) throw UsageError("sweep needs --out DIR: each result is saved there as its run ends");
  if (!arguments.shard) warn_of_other_processes("sweep");
  const std::int64_t runs = checked_runs(plan, options, arguments.is_confirmed);
  check_sweep(plan, options);
  const auto lock = lock_output_folder(*arguments.out);
  refuse_results_of_others(*arguments.out, {"sweep.sqlite"});
  check_places_of_tables(*arguments.out);
  SweepStore store = SweepStore::open_or_make(*arguments.out);
  if (!arguments.is_forced) store.refuse_other_plan(plan, "another folder, or --force to replace its tables");
  const std::int64_t done_before = store.done_points();
  ProgressLine progress = progress_on_terminal(arguments.is_quiet);
  progress.expect(runs);
  progress.begin("sweep");
  const Interruption interruption(
      fmt::format("the same command continues from here, and starling merge {} --out OTHER makes tables of "
                  "the runs that have ended",
                  arguments.out->string()));
  SweepReport report(plan, arguments, progress);
  StudyWarnings warnings(progress);
  ReportedTransports transports(progress);
  const SweepObservers observers{
      .run_ended =
          [&](const SweepRun& run, bool) {
            report.run_ended(run);
            transports.add(run, combination_text(plan, run.combination));
          },
      .combination_skipped = [&](std::int64_t i, const std::string& reason) { report.skipped(i, reason); },
      .warned = warning_above(progress),
      .warned_of_run =
          [&](const SweepRun& run, const RunWarning& warning) {
            warnings.add(warning, combination_text(plan, run.combination));
          }};
  const SweepCounts counts = run_sweep(plan, store, options, observers);
  warnings.end();
  transports.end();
  progress.clear();
  report.end();
  write_sweep_tables(store, *arguments.out);
  const std::int64_t left_out = done_before - (store.done_points() - counts.done);
  if (left_out > 0) warn_of_runs_left_out(left_out);
  if (!arguments.is_quiet) print_error(fmt::format("\n{}\n{}", counts_text(counts), transports.text()));
  if (runs == 0)
    warn(fmt::format("--shard {}: this shard is empty: the sweep has {}", *arguments.shard,
                     counted(plan.combinations(), "combination")));
  report_written(*arguments.out, arguments.is_quiet);
  return counts.failed > 0 ? run_failed : done;
}

void add_limited_run(CommandLine& line) {
  Command run = line.add_command(limited_run_command, "For sweeps whose runs have a limit");
  run.hide();
  run.does([] {
    print_out(make_limited_run(read_text_of_stdin()));
    return done;
  });
}

void add_merge(CommandLine& line) {
  const auto arguments = std::make_shared<MergeArguments>();
  Command merge = line.add_command("merge", "Join the parts of a sweep");
  merge.add_words("DIR", &arguments->parts, "Folders that starling sweep --shard wrote");
  add_out(merge, arguments->out, "Required: folder for the joined sweep: sweep.sqlite and the CSV files");
  add_quiet(merge, arguments->is_quiet);
  merge.set_footer(
      "Example:\n  starling merge results/parts/* --out results/all\n"
      "Exit codes: 0 done, 1 a run of the parts failed (sweep_failed.csv says why; all others are there), 2 "
      "the input is wrong.");
  merge.does(arguments, merge_command);
}

int merge_command(const MergeArguments& arguments) {
  if (!arguments.out) throw UsageError("merge needs --out DIR");
  for (const std::string& part : arguments.parts) refuse_same_folder(part, *arguments.out);
  const SweepPlan plan = plan_of_parts(arguments.parts);
  const auto lock = lock_output_folder(*arguments.out);
  refuse_results_of_others(*arguments.out, {"sweep.sqlite"});
  check_places_of_tables(*arguments.out);
  SweepStore whole = SweepStore::open_or_make(*arguments.out);
  whole.refuse_other_plan(plan, "another folder");
  const std::int64_t before = whole.points();
  merge_parts(arguments.parts, plan, whole, warn);
  write_sweep_tables(whole, *arguments.out);
  if (whole.points() < before) warn_of_runs_left_out(before - whole.points());
  const std::int64_t missing = planned(plan, {}).done - whole.points();
  if (missing > 0) warn(fmt::format("missing runs, which no part contains: {}", missing));
  const std::int64_t failed = whole.points() - whole.done_points();
  if (failed > 0) warn(fmt::format("runs that failed (sweep_failed.csv): {}", failed));
  report_written(*arguments.out, arguments.is_quiet);
  return failed > 0 ? run_failed : done;
}

}  // namespace starling
