#include "commands/model_command.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "analysis/demand/demand.hpp"
#include "analysis/demand/shortage.hpp"
#include "analysis/model/model_report.hpp"
#include "analysis/model/model_report_text.hpp"
#include "commands/shared/common_options.hpp"
#include "commands/shared/interruption.hpp"
#include "commands/shared/json_line.hpp"
#include "commands/shared/output_place.hpp"
#include "commands/shared/repeated_warnings.hpp"
#include "io/output_file.hpp"
#include "io/terminal/terminal.hpp"
#include "scenarios/reading/scenario_hash.hpp"
#include "scenarios/reading/scenario_reader.hpp"

namespace starling {

void add_model(CommandLine& line) {
  const auto arguments = std::make_shared<ModelArguments>();
  Command model = line.add_command(
      "model", "Predict every algorithm of a scenario by formulas, compared with the simulation");
  add_scenario(model, arguments->scenario);
  add_engine(model, arguments->engine, "Network model of the simulation", "the scenario's");
  model.add_flag("--no-simulation", arguments->is_without_simulation,
                 "Print only the model, for clusters that take long to simulate");
  model.add_flag("--explain", arguments->explains,
                 "Also divide the gain of each algorithm over the first allreduce into overlap, cheaper "
                 "communication and less waiting for slow workers, by eight or more simulations of each");
  model.add_flag(
      "--json", arguments->prints_lines,
      "In place of tables, print a line of JSON for every algorithm, and with --explain one for every gain");
  add_out(model, arguments->out, "Folder for model.json, which starling report draws");
  model.add_flag("--force", arguments->is_forced, "Replace a model.json that DIR has already");
  add_overrides(model, arguments->overrides, "scenario");
  add_quiet(model, arguments->is_quiet);
  model.set_footer(
      "The model computes times by sums and maxima, without messages, for the same random draws. It is "
      "exact\nwhere no two messages contend for a link; otherwise it lists what it leaves out or assumes.\n"
      "Examples:\n"
      "  starling model scenarios/quickstart.json\n"
      "  starling model scenarios/quickstart.json --no-simulation --set /cluster/workers=4096");
  model.does(arguments, model_command);
}

namespace {

void print(const ModelReport& report, const ModelArguments& arguments) {
  if (!arguments.prints_lines) return print_out(model_table(report));
  for (const ModeledAlgorithm& algorithm : report.algorithms) print_json_line(modeled_json(algorithm));
}

void print(const ExplainedGains& gains, const ModelArguments& arguments) {
  if (!arguments.prints_lines) return print_out(fmt::format("\n{}", gains_table(gains)));
  for (const ExplainedGain& gain : gains.of_others) print_json_line(gain_json(gain, gains));
}

void write(const Scenario& scenario, const ModelReport& report, const ExplainedGains* gains,
           const ModelArguments& arguments) {
  write_atomically(*arguments.out / "model.json",
                   model_document(report, gains, ScenarioHash().of(scenario)).dump(2) + "\n");
  report_written(*arguments.out, arguments.is_quiet);
}

}  // namespace

void model_command(const ModelArguments& arguments) {
  if (arguments.explains && arguments.is_without_simulation)
    throw UsageError("--explain needs simulations; leave out --no-simulation");
  warn_of_other_processes("model");
  const Scenario scenario =
      read_scenario(read_document(arguments.scenario, with_engine(arguments.overrides, arguments.engine)));
  for (const std::string& warning : scenario.warnings) warn(warning);
  if (arguments.explains) baseline_of_gains(scenario);  // throws before anything is simulated
  const auto lock = lock_output_folder(arguments.out, "model.json", arguments.is_forced);

  ProgressLine progress = progress_on_terminal(arguments.is_quiet);
  const Interruption interruption(nothing_kept(arguments.out.has_value()));
  RunObservers observers{.progress = &progress};
  WarningsOnce warnings(progress);
  const auto warn_once = [&](const std::string& sentence) { warnings.add(sentence); };
  observers.job_made = [&](const ScenarioJob& job) {
    refuse_shortage(job, demand_of_modeling(job, !arguments.is_without_simulation),
                    supply_of_machine(std::nullopt), Forcing::impossible);
    for (const std::string& sentence : job.partial_periods()) warn_once(sentence);
  };
  observers.warned_of_traffic = warn_once;
  try {
    const ModelReport report = model_report(scenario, !arguments.is_without_simulation, observers);
    progress.clear();
    print(report, arguments);
    std::optional<ExplainedGains> gains;
    if (arguments.explains) {
      gains = explain_gains(scenario, observers, report.iterations_of_each());
      progress.clear();
      print(*gains, arguments);
    }
    if (arguments.out) write(scenario, report, gains ? &*gains : nullptr, arguments);
  } catch (...) {
    progress.clear();
    throw;
  }
}

}  // namespace starling
