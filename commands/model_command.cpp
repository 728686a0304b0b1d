#include "commands/model_command.hpp"

#include <memory>

#include "analysis/model/model_report.hpp"
#include "analysis/model/model_report_text.hpp"
#include "analysis/running/demand.hpp"
#include "commands/shared/common_options.hpp"
#include "io/terminal.hpp"
#include "scenarios/reading/scenario_reader.hpp"

namespace starling {

void add_model(CommandLine& line) {
  const auto arguments = std::make_shared<ModelArguments>();
  Command model = line.add_command(
      "model", "Predict every algorithm of a scenario without messages, beside the simulation");
  add_scenario(model, arguments->scenario);
  add_engine(model, arguments->engine, "Network model of the simulation", "the scenario's");
  model.add_flag("--no-simulation", arguments->is_without_simulation,
                 "Print the model alone, for clusters that take long to simulate");
  model.add_flag("--json", arguments->prints_lines,
                 "In place of the table, a line of JSON for every algorithm");
  add_overrides(model, arguments->overrides, "scenario");
  add_quiet(model, arguments->is_quiet);
  model.set_footer(
      "The model knows no messages: it adds up and takes the later of two moments, for the same random "
      "draws. It\n"
      "is exact where no two messages meet on a link; else it says what it leaves out or takes for granted.\n"
      "Examples:\n"
      "  starling model scenarios/quickstart.json\n"
      "  starling model scenarios/quickstart.json --no-simulation --set /cluster/workers=4096");
  model.does(arguments, model_command);
}

void model_command(const ModelArguments& arguments) {
  std::vector<std::string> overrides = arguments.overrides;
  if (arguments.engine) overrides.push_back(engine_override(*arguments.engine));
  const Scenario scenario = read_scenario(read_document(arguments.scenario, overrides));
  for (const std::string& warning : scenario.warnings) warn(warning);

  ProgressLine progress = progress_on_terminal(arguments.is_quiet);
  RunObservers observers{.progress = &progress};
  if (!arguments.is_without_simulation)
    observers.job_made = [](const ScenarioJob& job) {
      refuse_shortage(job, supply_of_machine(std::nullopt));
    };
  const auto reported = [&] {
    try {
      return model_report(scenario, !arguments.is_without_simulation, observers);
    } catch (...) {
      progress.clear();
      throw;
    }
  };
  const ModelReport report = reported();
  progress.clear();
  if (!arguments.prints_lines) return print_out(model_table(report));
  for (const ModeledAlgorithm& algorithm : report.algorithms)
    print_out(modeled_json(algorithm).dump() + "\n");
}

}  // namespace starling
