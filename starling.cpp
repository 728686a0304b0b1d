#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "analysis/results/result_json.hpp"
#include "base/near_key.hpp"
#include "commands/calibrate_command.hpp"
#include "commands/commands.hpp"
#include "commands/native_command.hpp"
#include "commands/reproduce_command.hpp"
#include "commands/testbed_command.hpp"
#include "commands/validate_command.hpp"
#include "io/scenario_error.hpp"
#include "io/terminal.hpp"
#include "io/version.hpp"

namespace {

using starling::RunArguments;

enum ExitCode { done = 0, run_failed = 1, wrong_input = 2 };

/// What the options were read into, and what to do with it.
struct CommandLine {
  RunArguments run;
  starling::ReproduceArguments reproduce;
  starling::CalibrateArguments calibrate;
  starling::ValidateArguments validate;
  starling::NativeArguments native;
  starling::TestbedArguments testbed;
  std::string list_what;
  std::string schema_what;
  std::function<void()> command;
  int exit_code = done;
};

void add_run(CLI::App& app, CommandLine& line) {
  CLI::App* run = app.add_subcommand("run", "Predict the iteration time of every algorithm of a scenario");
  run->add_option("SCENARIO.json", line.run.scenario, "The scenario file")->required()->type_name("");
  run->add_option("--engine", line.run.engine,
                  "Network model: event, simgrid or tcp (default: the scenario's)")
      ->type_name("NAME");
  run->add_option("--out", line.run.out,
                  "Folder for result.json and iterations.csv; without it only the table is printed")
      ->type_name("DIR");
  run->add_flag("--trace", line.run.is_traced,
                "Also write DIR/trace.json, a timeline for https://ui.perfetto.dev");
  run->add_option("--set", line.run.overrides, "Replace a value of the scenario; may be given several times")
      ->type_name("/json/pointer=VALUE")
      ->allow_extra_args(false);
  run->add_flag("--quiet", line.run.is_quiet, "No progress on stderr");
  run->footer(
      "Examples:\n"
      "  starling run scenarios/quickstart.json\n"
      "  starling run scenarios/quickstart.json --out results/first --trace\n"
      "  starling run scenarios/quickstart.json --set /cluster/workers=64 --set "
      "/cluster/network/link/bandwidth=10Gbps\n"
      "Exit codes: 0 done, 1 the run failed, 2 the input is wrong. Finished results are never replaced.");
  run->callback([&line] { line.command = [&line] { starling::run_command(line.run); }; });
}

void add_native(CLI::App& app, CommandLine& line) {
  CLI::App* native = app.add_subcommand(
      "native", "Measure the iteration time of every algorithm of a scenario, under mpirun");
  native->add_option("SCENARIO.json", line.native.scenario, "The scenario file")->required()->type_name("");
  native
      ->add_option(
          "--out", line.native.out,
          "Folder, on rank 0's host, for result.json and iterations.csv; without it only the table is "
          "printed")
      ->type_name("DIR");
  native
      ->add_option("--repeat", line.native.repetitions,
                   "Run every algorithm so many times and report the median (default: 1)")
      ->type_name("N");
  native->add_flag("--trace", line.native.is_traced,
                   "Also write DIR/trace.json, a timeline for https://ui.perfetto.dev");
  native
      ->add_option("--set", line.native.overrides,
                   "Replace a value of the scenario; may be given several times")
      ->type_name("/json/pointer=VALUE")
      ->allow_extra_args(false);
  native->add_flag("--quiet", line.native.is_quiet, "No progress on stderr");
  native->footer(
      "Examples:\n"
      "  mpirun -n 16 starling native scenarios/quickstart.json --repeat 3 --out results/measured\n"
      "  mpirun -n 64 --hostfile hosts --bind-to core starling native scenario.json --out results/measured\n"
      "Exit codes: 0 done, 1 the run failed, 2 the input is wrong. Finished results are never replaced.");
  native->callback([&line] { line.command = [&line] { starling::native_command(line.native); }; });
}

void add_reproduce(CLI::App& app, CommandLine& line) {
  CLI::App* reproduce =
      app.add_subcommand("reproduce", "Predict published measurements and say how near that comes");
  reproduce
      ->add_option("PUBLISHED.json", line.reproduce.file, "Measurements (default: those that are shipped)")
      ->type_name("");
  reproduce
      ->add_option("--filter", line.reproduce.filter, "Only entries whose id, paper or cluster contains this")
      ->type_name("TEXT");
  reproduce
      ->add_option("--out", line.reproduce.out, "Folder for reproduce.json and the scenarios that were run")
      ->type_name("DIR");
  reproduce->add_option("--jobs", line.reproduce.jobs, "Runs at the same time (default: one per processor)")
      ->type_name("N");
  reproduce
      ->add_option("--clusters", line.reproduce.clusters,
                   "Folder of cluster profiles that come before those shipped")
      ->type_name("DIR");
  reproduce->add_flag("--quiet", line.reproduce.is_quiet, "No progress on stderr");
  reproduce->footer(
      "Examples:\n"
      "  starling reproduce --out results/published\n"
      "  starling reproduce --filter eager-fig9\n"
      "Exit codes: 0 done, 1 a run failed, 2 the input is wrong. Finished results are never replaced.");
  reproduce->callback([&line] { line.command = [&line] { starling::reproduce_command(line.reproduce); }; });
}

void add_calibrate(CLI::App& app, CommandLine& line) {
  CLI::App* calibrate =
      app.add_subcommand("calibrate", "Measure what messages and reductions cost, for scenarios to use");
  calibrate
      ->add_option("--out", line.calibrate.out, "File that a scenario's cluster can name as its \"file\"")
      ->type_name("FILE");
  calibrate
      ->add_option(
          "--network", line.calibrate.network,
          "A scenario, or its cluster: tell what hosts add to this network instead of a network of their own")
      ->type_name("FILE");
  calibrate->footer("Example:\n  mpirun -n 2 starling calibrate --out calibrated.json");
  calibrate->callback([&line] { line.command = [&line] { starling::calibrate_command(line.calibrate); }; });
}

void add_validate(CLI::App& app, CommandLine& line) {
  CLI::App* validate = app.add_subcommand("validate", "Put predictions beside measurements");
  validate->add_option("PREDICTED_DIR", line.validate.predicted, "What starling run --out wrote")
      ->type_name("");
  validate->add_option("MEASURED_DIR", line.validate.measured, "What starling native --out wrote")
      ->type_name("");
  validate
      ->add_option("--run", line.validate.study,
                   "Instead of folders: predict and measure the scenarios of a study, then compare")
      ->type_name("STUDY.json");
  validate
      ->add_option("--engine", line.validate.engine,
                   "With --run: what predicts: event, simgrid or tcp (default: the scenarios')")
      ->type_name("NAME");
  validate
      ->add_option("--out", line.validate.out,
                   "Folder for validation.json, validation.svg and a study's results; an interrupted study "
                   "goes on there")
      ->type_name("DIR");
  validate->add_flag("--quiet", line.validate.is_quiet, "No progress on stderr");
  validate->footer(
      "Examples:\n"
      "  starling validate results/predicted results/measured --out results/compared\n"
      "  starling validate --run scenarios/validation/study.json --out results/validation");
  validate->callback([&line] {
    line.command = [&line] {
      if (line.validate.study) starling::require_mpi();
      starling::validate_command(line.validate);
    };
  });
}

/// The options that `up` and `exec` share.
void add_testbed_network(CLI::App* command, starling::TestbedArguments& testbed) {
  command->add_option("FILE.json", testbed.file, "A scenario, or a file that holds its cluster only")
      ->required()
      ->type_name("");
  command->add_option("--set", testbed.overrides, "Replace a value of the file; may be given several times")
      ->type_name("/json/pointer=VALUE")
      ->allow_extra_args(false);
  command->add_flag("--store-and-forward", testbed.is_store_and_forward,
                    "Switches wait for whole packets (default: cut-through, as in the simulation)");
  command
      ->add_option("--window", testbed.window, "What a TCP connection may have under way (default: 512KiB)")
      ->type_name("SIZE");
  command
      ->add_option("--queue", testbed.queue,
                   "What may wait at a link; more is dropped (default: so much that nothing is)")
      ->type_name("SIZE");
}

void add_testbed_mpirun(CLI::App* command, starling::TestbedArguments& testbed) {
  command->add_option("--mpirun", testbed.mpirun_options, "Further options of mpirun, in one word")
      ->type_name("OPTIONS");
}

void add_testbed(CLI::App& app, CommandLine& line) {
  CLI::App* testbed = app.add_subcommand(
      "testbed", "Have a cluster's hosts and network on this machine, to run MPI programs on (as root)");
  testbed->require_subcommand(1);
  const auto add = [&](const std::string& name, const std::string& description, auto action) {
    CLI::App* command = testbed->add_subcommand(name, description);
    command->add_option("--name", line.testbed.name, "Which testbed, if there are several")
        ->type_name("NAME");
    command->callback([&line, action] { line.command = [&line, action] { action(line); }; });
    return command;
  };
  add_testbed_network(add("up", "Start the hosts and the network",
                          [](CommandLine& all) { starling::testbed_up(all.testbed); }),
                      line.testbed);
  add_testbed_mpirun(
      add("run", "Start a program on all workers with mpirun: run [OPTIONS] -- PROGRAM [ARGUMENTS]",
          [](CommandLine& all) { all.exit_code = starling::testbed_run(all.testbed); }),
      line.testbed);
  add("on", "Run a program on one host: on HOST -- PROGRAM [ARGUMENTS]",
      [](CommandLine& all) { all.exit_code = starling::testbed_on(all.testbed); })
      ->add_option("HOST", line.testbed.host, "The host")
      ->required()
      ->type_name("");
  add("down", "End the testbed and all that runs in it",
      [](CommandLine& all) { starling::testbed_down(all.testbed); });
  CLI::App* exec = add("exec", "up, run and down: exec FILE.json [OPTIONS] -- PROGRAM [ARGUMENTS]",
                       [](CommandLine& all) { all.exit_code = starling::testbed_exec(all.testbed); });
  add_testbed_network(exec, line.testbed);
  add_testbed_mpirun(exec, line.testbed);
  add("agent", "For mpirun, which starts processes with it", [](CommandLine& all) {
    starling::testbed_agent(all.testbed);
  })->group("");
  testbed->footer(
      "Examples:\n"
      "  starling testbed exec scenario.json -- starling native scenario.json --out measured\n"
      "  starling testbed up scenario.json\n"
      "  starling testbed on host0 -- ping -c 3 10.77.0.2\n"
      "  starling testbed down\n"
      "run, on and exec exit with the program's own code.");
}

void add_list(CLI::App& app, CommandLine& line) {
  CLI::App* list = app.add_subcommand("list", "List what a scenario may name");
  list->add_option("WHAT", line.list_what, fmt::format("One of {}", fmt::join(starling::listable(), ", ")))
      ->required()
      ->type_name("");
  list->footer("Example:\n  starling list models");
  list->callback([&line] { line.command = [&line] { starling::list_command(line.list_what); }; });
}

void add_schema(CLI::App& app, CommandLine& line) {
  CLI::App* schema = app.add_subcommand("schema", "Print the JSON Schema of a kind of file");
  schema->add_option("WHAT", line.schema_what, fmt::format("One of {}", fmt::join(starling::schemas(), ", ")))
      ->required()
      ->type_name("");
  schema->footer("Example:\n  starling schema scenario > scenario.schema.json");
  schema->callback([&line] { line.command = [&line] { starling::schema_command(line.schema_what); }; });
}

void add_test(CLI::App& app, CommandLine& line) {
  CLI::App* test = app.add_subcommand("test", "Build and run the tests (by the launcher ./starling)");
  test->prefix_command();
  test->callback([&line] {
    line.command = [] {
      throw starling::UsageError(
          "this is the built program; the launcher at the root of the repository builds and runs the tests: "
          "./starling test");
    };
  });
}

/// CLI11 would call a mistyped command an unexpected argument.
void refuse_unknown_command(const CLI::App& app, int argument_count, char** arguments) {
  if (argument_count >= 2 && arguments[1][0] == '-') return;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (argument_count < 2)
    throw starling::UsageError(
        fmt::format("a command is missing; there are {}; starling --help says more", fmt::join(names, ", ")));
  for (const std::string& name : names)
    if (name == arguments[1]) return;
  throw starling::UsageError(fmt::format("there is no command \"{}\"{}; there are {}", arguments[1],
                                         starling::suggestion(arguments[1], names), fmt::join(names, ", ")));
}

/// "starling run" once it is known that run was meant.
std::string command_named(const CLI::App& app) {
  std::string name = app.get_name();
  for (const CLI::App* command : app.get_subcommands()) name += " " + command->get_name();
  return name;
}

/// What comes after "--" is the command of another program and none of our parser's business.
int take_guest_command(int argument_count, char** arguments, std::vector<std::string>& command) {
  if (argument_count < 2 || std::string_view(arguments[1]) != "testbed") return argument_count;
  char** const end = arguments + argument_count;
  char** const separator = std::find(arguments, end, std::string_view("--"));
  if (separator != end) command.assign(separator + 1, end);
  return static_cast<int>(separator - arguments);
}

int parse_and_run(int argument_count, char** arguments) {
  CommandLine line;
  argument_count = take_guest_command(argument_count, arguments, line.testbed.command);
  CLI::App app(
      "Starling predicts how fast a training job runs when workers average gradients in different ways.",
      "starling");
  app.set_version_flag("--version", "starling " + std::string(starling::version()));
  app.set_help_flag("-h,--help", "Print this help");
  app.require_subcommand(1);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.get_formatter()->label("Subcommands", "Commands");
  app.footer("starling COMMAND --help says more.\nExample:\n  starling run scenarios/quickstart.json");
  add_run(app, line);
  add_native(app, line);
  add_reproduce(app, line);
  add_calibrate(app, line);
  add_validate(app, line);
  add_testbed(app, line);
  add_list(app, line);
  add_schema(app, line);
  add_test(app, line);
  refuse_unknown_command(app, argument_count, arguments);
  try {
    app.parse(argument_count, arguments);
  } catch (const CLI::Success& request) {  // --help, --version
    app.exit(request);
    return done;
  } catch (const CLI::ParseError& error) {
    throw starling::UsageError(
        fmt::format("{}; {} --help says what is possible", error.what(), command_named(app)));
  }
  line.command();
  return line.exit_code;
}

int report(const std::string& text, ExitCode code) {
  starling::print_error(text + '\n');
  return code;
}

}  // namespace

int main(int argument_count, char** arguments) {
  // Whoever reads our output may stop reading: writing then fails, which is no reason to die before the files
  // are complete.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return parse_and_run(argument_count, arguments);
  } catch (const starling::ReportedError& error) {
    return error.exit_code();
  } catch (const starling::ScenarioError& error) {
    return report(starling::error_text(error), wrong_input);
  } catch (const starling::UsageError& error) {
    return report(starling::error_text(error), wrong_input);
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::broken_pipe) return done;
    return report(starling::error_text(error), run_failed);
  } catch (const std::bad_alloc&) {
    return report("starling: out of memory; fewer workers or iterations need less", run_failed);
  } catch (const std::exception& error) {
    return report(starling::error_text(error), run_failed);
  }
}
