#include "commands/studies/regimes_command.hpp"

#include <fmt/format.h>

#include "analysis/regimes/regime_map.hpp"
#include "analysis/regimes/regime_picture.hpp"
#include "analysis/regimes/regime_tables.hpp"
#include "commands/shared/common_options.hpp"
#include "commands/shared/interruption.hpp"
#include "commands/shared/output_place.hpp"
#include "commands/studies/study_options.hpp"
#include "io/output_file.hpp"
#include "io/terminal/terminal.hpp"

namespace starling {
namespace {

void check_number_of_points(const RegimeStudy& study, bool is_confirmed) {
  if (static_cast<std::int64_t>(study.points()) > most_unconfirmed_runs && !is_confirmed)
    throw UsageError(fmt::format("regimes: the map has {} points; --yes starts them", study.points()));
}

/// regimes.json marks a finished map: a former one is removed first, and the new one is written last.
void write(const RegimeStudy& study, const RegimeMap& map, const std::filesystem::path& folder) {
  const std::filesystem::path finished = folder / "regimes.json";
  std::filesystem::remove(finished);
  write_atomically(folder / "regimes.csv", regimes_csv(map));
  const std::filesystem::path picture = folder / "regimes.svg";
  draw_or_warn(regimes_plot(study, map, picture), picture);
  write_atomically(finished, regimes_json(study, map).dump(2) + "\n");
}

MapOptions options_of(const RegimesArguments& arguments, int jobs, ProgressLine& progress) {
  MapOptions options{.jobs = jobs, .progress = &progress, .of_partial_periods = warning_above(progress)};
  if (arguments.out) options.kept_in = *arguments.out / "regimes_points.jsonl";
  return options;
}

}  // namespace

void add_regimes(CommandLine& line) {
  const auto arguments = std::make_shared<RegimesArguments>();
  Command regimes = line.add_command("regimes", "Map where each algorithm is the fastest");
  regimes.add_required_word("STUDY.json", &arguments->file,
                            "A scenario, and ranges of the ratio of communication to compute, of variation "
                            "and of workers (starling schema regimes); - for stdin");
  add_overrides(regimes, arguments->overrides, "study");
  add_jobs(regimes, arguments->jobs);
  add_out(
      regimes, arguments->out,
      "Folder for regimes.json, regimes.csv and regimes.svg, and regimes_points.jsonl, where each point is "
      "kept as it is found: an interrupted map continues there");
  add_confirmation(regimes, arguments->is_confirmed);
  regimes.add_flag("--force", arguments->is_forced, "Replace a map that DIR has already");
  regimes.add_flag("--json", arguments->is_json, "Print regimes.json in place of text");
  add_quiet(regimes, arguments->is_quiet);
  regimes.set_footer(
      "Every point is predicted by the model; points along borders, and those that the model does not "
      "decide, are simulated.\n"
      "Example:\n"
      "  starling regimes scenarios/regimes/gossip_or_all_reduce.json --out results/regimes");
  regimes.does(arguments, regimes_command);
}

void regimes_command(const RegimesArguments& arguments) {
  warn_of_other_processes("regimes");
  const RegimeStudy study = read_regimes(arguments.file, arguments.overrides);
  check_number_of_points(study, arguments.is_confirmed);
  const int jobs = checked_jobs(arguments.jobs);
  const auto lock = lock_output_folder(arguments.out, "regimes.json", arguments.is_forced);
  if (arguments.out) refuse_results_of_others(*arguments.out, {"regimes.json"});
  ProgressLine progress = progress_on_terminal(arguments.is_quiet || arguments.is_json);
  progress.expect(static_cast<std::int64_t>(study.points()));
  progress.begin("regimes");
  Interruption interruption(arguments.out ? "the same command continues from here" : nothing_kept(false));
  const RegimeMap map = map_regimes(study, options_of(arguments, jobs, progress));
  progress.clear();
  if (arguments.out) {
    const InterruptsWait wait;
    write(study, map, *arguments.out);
    interruption.keeps("the map is in " + arguments.out->string());
  }
  if (arguments.is_json)
    print_json(regimes_json(study, map).dump(2) + "\n");
  else
    print_out(regimes_table(study, map));
  if (arguments.out) report_written(*arguments.out, arguments.is_quiet || arguments.is_json);
}

}  // namespace starling
