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

/// What the program exits with, unless it runs another program, whose exit code it then takes.
enum ExitCode : int { done = 0, run_failed = 1, wrong_input = 2 };

/// Tells bad input, which the user can mend, from a failure.
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

/// What the command line asks for. Returns the exit code.
using Action = std::function<int()>;

/// A command being described: its options, what they are read into, and what it does. CLI11 is behind it, in
/// one file, since it takes seconds to compile.
class Command {
 public:
  /// What a value is read into, as long as the action lives.
  using Target = std::variant<std::string*, std::filesystem::path*, int*, std::optional<std::string>*,
                              std::optional<std::filesystem::path>*, std::optional<int>*,
                              std::vector<std::string>*>;  // of an option that may be given several times

  /// `chosen` becomes the action of the command that is given.
  Command(CLI::App& app, Action& chosen) : app_(&app), chosen_(&chosen) {}

  /// A word without an option's name; it must be there, or may be.
  void add_required_word(const std::string& name, Target target, const std::string& meaning);
  void add_word(const std::string& name, Target target, const std::string& meaning);
  /// One or more.
  void add_words(const std::string& name, std::vector<std::string>* target, const std::string& meaning);
  /// `--name VALUE`; `value` says what kind of value: "DIR".
  void add_option(const std::string& name, const std::string& value, Target target,
                  const std::string& meaning);
  void add_flag(const std::string& name, bool& target, const std::string& meaning);
  /// What the help ends with: examples, exit codes.
  void set_footer(const std::string& text);
  /// It takes whatever follows.
  void ignore_arguments();
  /// It is not in the help.
  void hide();
  /// A command of this one, of which one must be given.
  Command add_command(const std::string& name, const std::string& description);

  void does(Action action);
  /// Calls `act` with `arguments`, which the options are read into. It returns the exit code, or nothing for
  /// 0.
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

/// All commands of a program.
class CommandLine {
 public:
  CommandLine(const std::string& program, const std::string& description, const std::string& version_text);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  Command add_command(const std::string& name, const std::string& description);
  void set_footer(const std::string& text);
  /// What the arguments ask for; if that is help or the version, it is printed. @throws UsageError for
  /// anything else than a command and its options.
  Action parse(int argument_count, const char* const* arguments);

 private:
  std::unique_ptr<CLI::App> app_;
  Action chosen_;
};

}  // namespace starling
