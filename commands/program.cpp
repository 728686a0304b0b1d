#include "commands/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "commands/import_command.hpp"
#include "commands/list_command.hpp"
#include "commands/model_command.hpp"
#include "commands/network_command.hpp"
#include "commands/report_command.hpp"
#include "commands/running/run_command.hpp"
#include "commands/schema_command.hpp"
#include "commands/studies/collectives_command.hpp"
#include "commands/studies/compare_command.hpp"
#include "commands/studies/design_command.hpp"
#include "commands/studies/plot_command.hpp"
#include "commands/studies/regimes_command.hpp"
#include "commands/studies/reproduce_command.hpp"
#include "commands/studies/sweep_command.hpp"
#include "commands/test_command.hpp"
#include "commands/testbed_command.hpp"
#include "commands/validate_command.hpp"
#include "io/data_directory.hpp"
#include "io/scenario_error.hpp"
#include "io/terminal/terminal.hpp"
#include "io/version.hpp"

namespace starling {
namespace {

/// A sentence that says where the shipped scenarios are; empty if Starling's data is not found.
std::string shipped_scenarios() try {
  return fmt::format(" The scenarios that come with it are in {}.",
                     (data_directory() / "scenarios").string());
} catch (const ScenarioError&) {
  return "";
}

int parse_and_act(int argument_count, char** arguments, const Measuring& measuring) {
  std::vector<std::string> guest_command = take_guest_command(argument_count, arguments);
  CommandLine line(
      "starling",
      "Starling predicts how fast a training job runs when workers average gradients in different ways.",
      fmt::format("starling {}", version()));
  line.set_footer("starling COMMAND --help explains a command." + shipped_scenarios() +
                  "\nExample:\n  starling run scenarios/quickstart.json");
  add_run(line);
  add_sweep(line);
  add_limited_run(line);
  add_merge(line);
  add_plot(line);
  add_design(line);
  add_regimes(line);
  add_compare(line);
  add_report(line);
  add_native(line, measuring.natively);
  add_reproduce(line);
  add_calibrate(line, measuring.costs);
  add_validate(line, measuring.require);
  add_testbed(line, std::move(guest_command));
  add_model(line);
  add_network(line);
  add_collectives(line);
  add_import(line);
  add_list(line);
  add_schema(line);
  add_test(line);
  const Action action = line.parse(argument_count, arguments);
  return action();
}

/// The parent process may have closed stdin, stdout or stderr: the next files opened would get their file
/// descriptors, and output would go to these files. Opens /dev/null instead; stdout read-only, so that
/// writing to it still fails.
void open_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0)
      (void)::open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

/// Makes folders in environment variables absolute, since child processes may start in another folder.
void make_folders_absolute() {
  for (const char* variable : {"STARLING_DATA", "TMPDIR"}) {
    const char* const folder = std::getenv(variable);
    if (folder == nullptr || *folder == '\0') continue;
    std::error_code problem;
    const std::filesystem::path absolute = std::filesystem::absolute(folder, problem);
    if (!problem) ::setenv(variable, absolute.c_str(), 1);
  }
}

int report(const std::string& text, ExitCode code) {
  print_error(text + '\n');
  return code;
}

}  // namespace

int run_program(int argument_count, char** arguments, const Measuring& measuring) noexcept {
  open_closed_streams();
  // If the reader of our output closes its pipe, writing fails instead of ending the process; this ends the
  // work, unless there are files to complete.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // likewise a file that grows beyond what `ulimit -f` allows
  try {
    make_folders_absolute();
    return parse_and_act(argument_count, arguments, measuring);
  } catch (const ReportedError& error) {
    return error.exit_code();
  } catch (const std::bad_alloc&) {
    return report("starling: out of memory; fewer workers need less, and so do fewer iterations of a run",
                  run_failed);
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::broken_pipe) return done;
    return report(error_text(error), exit_code_of(error));
  } catch (const std::exception& error) {
    return report(error_text(error), exit_code_of(error));
  }
}

}  // namespace starling
