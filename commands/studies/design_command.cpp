#include "commands/studies/design_command.hpp"

#include <fmt/format.h>

#include "analysis/design/design_picture.hpp"
#include "analysis/design/design_report.hpp"
#include "analysis/studies/sweep_tables.hpp"
#include "commands/shared/common_options.hpp"
#include "commands/shared/interruption.hpp"
#include "commands/shared/output_place.hpp"
#include "commands/studies/study_options.hpp"
#include "io/output_file.hpp"
#include "io/terminal/terminal.hpp"
#include "io/texts/text_table.hpp"

namespace starling {
namespace {

void check_number_of_runs(const DesignStudy& study, const DesignSpace& space, bool is_confirmed) {
  const std::int64_t runs = space.candidates() * study.seeds;
  if (runs > most_unconfirmed_runs && !is_confirmed)
    throw UsageError(fmt::format("design: {} with {} and {} may take {} runs; --yes starts them",
                                 counted(space.networks.size(), "network"),
                                 counted(space.algorithms.size(), "algorithm"), counted(study.seeds, "seed"),
                                 runs));
}

/// Observers that print failures, warnings and progress while candidates are run.
SweepObservers observers_of(const DesignSpace& space, ProgressLine& progress, WarningsOnce& warnings,
                            StudyWarnings& study_warnings, ReportedTransports& transports,
                            bool reports_runs) {
  return {.run_ended =
              [&space, &progress, &transports, reports_runs](const SweepRun& run, bool) {
                transports.add(run, network_text(space.network_of(run.combination)));
                if (reports_runs && !run.is_done()) {
                  progress.clear();
                  print_error(fmt::format("{} with {} failed: {}\n",
                                          network_text(space.network_of(run.combination)),
                                          space.algorithm_of(run.combination), run.error));
                }
                progress.advance();
              },
          .combination_skipped = {},
          .warned = [&warnings](const std::string& warning) { warnings.add(warning); },
          .warned_of_run =
              [&space, &study_warnings](const SweepRun& run, const RunWarning& warning) {
                study_warnings.add(warning, network_text(space.network_of(run.combination)));
              }};
}

}  // namespace

void add_design(CommandLine& line) {
  const auto arguments = std::make_shared<DesignArguments>();
  Command design = line.add_command(
      "design", "Find the networks with the best performance for their price for a workload");
  design.add_required_word(
      "STUDY.json", &arguments->file,
      "Workload, algorithms, kinds of networks, and the objective (starling schema design); - for stdin");
  add_overrides(design, arguments->overrides, "study");
  add_seeds(design, arguments->seeds, "candidate");
  add_jobs(design, arguments->jobs);
  add_run_limit(design, arguments->run_limit);
  add_out(design, arguments->out,
          "Required: folder for design.json, design.csv, design.svg and the runs, as in starling sweep; "
          "an interrupted study continues there");
  design.add_flag("--all", arguments->tries_all,
                  "Run every candidate within the budget, even those that lower bounds rule out");
  add_confirmation(design, arguments->is_confirmed);
  design.add_flag("--force", arguments->is_forced,
                  "Replace the answer to another study in DIR; the runs of that study stay in sweep.sqlite");
  design.add_flag("--json", arguments->is_json, "Print design.json in place of text");
  add_quiet(design, arguments->is_quiet);
  design.set_footer(
      "Candidates are run by ascending price; those that lower bounds rule out are not run.\n"
      "Example:\n"
      "  starling design scenarios/designs/resnet50_256.json --out results/resnet50\n"
      "Exit codes: 0 done, 1 all candidates were ruled out or failed, 2 the input is wrong.");
  design.does(arguments, design_command);
}

int design_command(const DesignArguments& arguments) {
  const DesignStudy study =
      read_design({.file = arguments.file, .overrides = arguments.overrides, .seeds = arguments.seeds});
  const int jobs = checked_jobs(arguments.jobs);
  const std::optional<RunLimit> run_limit = checked_run_limit(arguments.run_limit);
  if (!arguments.out) throw UsageError("design needs --out DIR: each result is saved there as its run ends");
  warn_of_other_processes("design");
  const DesignSpace space = design_space(study);
  check_number_of_runs(study, space, arguments.is_confirmed);
  ProgressLine progress = progress_on_terminal(arguments.is_quiet || arguments.is_json);
  WarningsOnce warnings(progress);
  for (const std::string& warning : space.warnings) warnings.add(warning);
  const auto lock = lock_output_folder(*arguments.out);
  refuse_results_of_others(*arguments.out, {"design.json", "sweep.sqlite"});
  check_places_of_tables(*arguments.out);
  SweepStore store = SweepStore::open_or_make(*arguments.out);
  if (!arguments.is_forced)
    store.refuse_other_plan(space.plan, "another folder, or --force to replace its answer");
  progress.expect(space.candidates() * study.seeds);
  progress.begin("design");
  const Interruption interruption("the same command continues from here");
  StudyWarnings study_warnings(progress);
  ReportedTransports transports(progress);
  const std::vector<CandidateFinding> findings = search_design(
      study, space, store,
      {.jobs = jobs, .tries_all = arguments.tries_all, .progress = &progress, .run_limit = run_limit},
      observers_of(space, progress, warnings, study_warnings, transports, !arguments.is_quiet));
  study_warnings.end();
  transports.end();
  progress.clear();
  if (!arguments.is_quiet && !arguments.is_json) print_error(transports.text());
  const DesignAnswer answer = design_answer(study, space, findings);
  const DesignFound found{.study = study, .space = space, .findings = findings, .answer = answer};
  const nlohmann::ordered_json document = design_json(found);
  const std::filesystem::path& folder = *arguments.out;
  write_sweep_tables(store, folder);
  write_atomically(folder / "design.json", document.dump(2) + "\n");
  write_atomically(folder / "design.csv", design_csv(found));
  const std::filesystem::path picture = folder / "design.svg";
  const std::string script = design_plot(found, picture);
  if (script.empty())
    remove_older(picture);
  else
    draw_or_warn(script, picture);
  if (arguments.is_json)
    print_json(document.dump(2) + "\n");
  else
    print_out(design_table(found));
  report_written(folder, arguments.is_quiet || arguments.is_json);
  return answer.front.empty() ? run_failed : done;
}

}  // namespace starling
