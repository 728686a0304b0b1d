#pragma once

#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace CLI {
class App;
}

namespace starling {

/// The exit codes of the program; commands that run another program return the exit code of that.
enum ExitCode : int { done = 0, run_failed = 1, wrong_input = 2 };

/// wrong_input for errors that the user can correct, run_failed for all others.
ExitCode exit_code_of(const std::exception& error);

/// An error that has been reported already, perhaps by another process; the program exits with its code.
class ReportedError : public std::exception {
 public:
  explicit ReportedError(int exit_code) : exit_code_(exit_code) {}
  int exit_code() const { return exit_code_; }
  const char* what() const noexcept override { return "an error that has been reported"; }

 private:
  int exit_code_;
};

/// The action of the given command. Returns the exit code.
using Action = std::function<int()>;

/// Declares a command: its options, the variables that they set, and its action. Hides CLI11, which takes
/// seconds to compile, in one source file.
class Command {
 public:
  /// The variable that an option sets; it must live as long as the action.
  using Target = std::variant<std::string*, std::filesystem::path*, int*, std::optional<std::string>*,
                              std::optional<std::filesystem::path>*, std::optional<int>*,
                              std::vector<std::string>*>;  // for an option that may be given several times

  /// If the command line gives this command, `chosen` is set to its action.
  Command(CLI::App& app, Action& chosen) : app_(&app), chosen_(&chosen) {}

  /// A positional argument, required or optional.
  void add_required_word(const std::string& name, Target target, const std::string& meaning);
  void add_word(const std::string& name, Target target, const std::string& meaning);
  /// One or more positional arguments.
  void add_words(const std::string& name, std::vector<std::string>* target, const std::string& meaning);
  /// The option `name VALUE`; `value` names the kind of value in the help: "DIR".
  void add_option(const std::string& name, const std::string& value, Target target,
                  const std::string& meaning);
  void add_flag(const std::string& name, bool& target, const std::string& meaning);
  /// The end of the help: examples, exit codes.
  void set_footer(const std::string& text);
  /// Accepts any further arguments, and ignores them.
  void ignore_arguments();
  /// Leaves the command out of the help.
  void hide();
  /// Adds a subcommand; the command line must give one of those.
  Command add_command(const std::string& name, const std::string& description);

  void does(Action action);
  /// Sets the action to act(*arguments), where `arguments` holds the variables that the options set. `act`
  /// returns the exit code, or void for 0.
  template <typename Arguments, typename Act>
  void does(std::shared_ptr<Arguments> arguments, Act act) {
    does([arguments = std::move(arguments), act]() -> int {
      if constexpr (std::is_void_v<decltype(act(*arguments))>) {
        act(*arguments);
        return 0;
      } else {
        return act(*arguments);
      }
    });
  }

 private:
  CLI::App* app_;
  Action* chosen_;
};

/// The commands of a program, and the parser of its command line.
class CommandLine {
 public:
  CommandLine(const std::string& program, const std::string& description, const std::string& version_text);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  Command add_command(const std::string& name, const std::string& description);
  void set_footer(const std::string& text);
  /// The action of the given command, or one that prints help or version. @throws UsageError for anything but
  /// a command with its options.
  Action parse(int argument_count, const char* const* arguments);

 private:
  std::unique_ptr<CLI::App> app_;
  Action chosen_;
};

}  // namespace starling
