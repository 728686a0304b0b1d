#include "commands/validate_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <stdexcept>
#include <system_error>

#include "analysis/validation/study_run.hpp"
#include "analysis/validation/validation_picture.hpp"
#include "analysis/validation/validation_report.hpp"
#include "commands/shared/common_options.hpp"
#include "commands/shared/interruption.hpp"
#include "commands/shared/output_place.hpp"
#include "io/output_file.hpp"
#include "io/terminal/terminal.hpp"
#include "testbed/network/shaping_limits.hpp"
#include "topologies/networks/network.hpp"

namespace starling {

namespace {

/// Whether the folder holds the cases of a study; such a folder may be compared again.
bool is_of_study(const std::filesystem::path& folder) {
  std::error_code error;
  return std::filesystem::is_directory(folder / study_cases_folder, error);
}

void refuse_finished(const std::filesystem::path& folder) {
  refuse_existing(folder / "validation.json", "a finished validation is here already, and is never replaced",
                  "another folder, or this one after you have moved its files away");
}

void report(const Validation& validation, const ValidateArguments& arguments) {
  for (const std::string& warning : validation.warnings) warn(warning);
  if (arguments.out) {
    try {
      draw_validation(validation, *arguments.out / "validation.svg");
    } catch (const std::runtime_error& error) {
      warn(fmt::format("no picture: {}", error.what()));
    }
    write_atomically(*arguments.out / "validation.json", validation_json(validation).dump(2) + "\n");
  }
  print_out(validation_table(validation));
  if (arguments.out) report_written(*arguments.out, arguments.is_quiet);
}

void compare_folders(const ValidateArguments& arguments) {
  if (arguments.engine) throw UsageError("--engine requires --run; folders of results name their engine");
  if (!arguments.predicted || !arguments.measured)
    throw UsageError(
        "validate needs PREDICTED_DIR and MEASURED_DIR, or --run STUDY.json; starling validate --help says "
        "more");
  const Validation validation = compare(read_result(*arguments.predicted), read_result(*arguments.measured));
  std::unique_ptr<const FolderLock> lock;
  if (arguments.out) {
    lock = lock_output_folder(*arguments.out);
    refuse_finished(*arguments.out);
  }
  report(validation, arguments);
}

void require_band(const ErrorBand& band, const ValidationGroup& summary) {
  if (band.holds(summary)) return;
  throw std::runtime_error(fmt::format(
      "the errors exceed the study's band: mean {:.1f} % (at most {:.1f} %), worst {:.1f} % (at most {:.1f} "
      "%)",
      100 * summary.mean_abs_error, 100 * band.mean, 100 * summary.worst_abs_error, 100 * band.worst));
}

void run_and_compare(const ValidateArguments& arguments) {
  if (arguments.predicted)
    throw UsageError("--run predicts and measures the study's scenarios; leave out the folders of results");
  if (!arguments.out) throw UsageError("--run needs --out DIR: measurements are saved there");
  const ValidationStudy study = read_validation_study(*arguments.study);
  const auto lock = lock_output_folder(*arguments.out);
  if (!is_of_study(*arguments.out)) refuse_finished(*arguments.out);
  const std::vector<std::string> overrides = with_engine({}, arguments.engine);
  ProgressLine progress = progress_on_terminal(arguments.is_quiet);
  const Interruption interruption("the same command continues from here");
  std::vector<std::string> warnings = total_rate_warnings(study);
  Validation validation = run_study(study, *arguments.out, overrides, progress);
  std::ranges::move(warnings, std::back_inserter(validation.warnings));
  report(validation, arguments);
  if (validation.failed_cases > 0)
    throw std::runtime_error(
        fmt::format("{} of {} cases could not be measured", validation.failed_cases, study.cases.size()));
  if (study.band) require_band(*study.band, summary_of(validation.cases));
}

}  // namespace

std::vector<std::string> total_rate_warnings(const ValidationStudy& study) {
  if (study.launcher != Launcher::testbed) return {};
  std::map<std::string, std::vector<std::size_t>> cases;  // numbers of cases, from 1, by warning
  for (std::size_t i = 0; i < study.cases.size(); ++i) {
    const Network network = build_network(read_scenario(study.cases[i]).cluster);
    const std::string warning = total_rate_warning(HostRoutes(network));
    if (!warning.empty()) cases[warning].push_back(i + 1);
  }
  std::vector<std::string> warnings;
  for (const auto& [warning, numbers] : cases)
    warnings.push_back(fmt::format("{} of {} cases, of which case {} is the first: {}", numbers.size(),
                                   study.cases.size(), numbers.front(), warning));
  return warnings;
}

void add_validate(CommandLine& line, void (*require_measuring)()) {
  const auto arguments = std::make_shared<ValidateArguments>();
  Command validate = line.add_command("validate", "Compare predictions with measurements");
  validate.add_word("PREDICTED_DIR", &arguments->predicted, "What starling run --out wrote");
  validate.add_word("MEASURED_DIR", &arguments->measured, "What starling native --out wrote");
  validate.add_option("--run", "STUDY.json", &arguments->study,
                      "Instead of folders: predict and measure the scenarios of a study, then compare");
  add_engine(validate, arguments->engine, "With --run: network model of the predictions", "the scenarios'");
  add_out(validate, arguments->out,
          "Folder for validation.json, validation.svg and a study's results; an interrupted study continues "
          "there");
  add_quiet(validate, arguments->is_quiet);
  validate.set_footer(
      "Examples:\n"
      "  starling validate results/predicted results/measured --out results/compared\n"
      "  starling validate --run scenarios/validation/study.json --out results/validation");
  validate.does(arguments, [require_measuring](const ValidateArguments& given) {
    if (given.study) require_measuring();
    validate_command(given);
  });
}

void validate_command(const ValidateArguments& arguments) {
  if (arguments.study)
    run_and_compare(arguments);
  else
    compare_folders(arguments);
}

}  // namespace starling
