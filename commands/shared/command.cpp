#include "commands/shared/command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <sstream>

#include "base/near_key.hpp"
#include "io/output_file.hpp"
#include "io/scenario_error.hpp"
#include "io/shown_text.hpp"
#include "io/terminal.hpp"

namespace starling {
namespace {

CLI::Option& add(CLI::App& app, const std::string& name, Command::Target target, const std::string& meaning) {
  return *std::visit([&](auto* into) { return app.add_option(name, *into, meaning); }, target);
}

/// CLI11 would not tell of an option before the command, but that the command is missing.
void refuse_unknown_option(const CLI::App& app, const std::string& option) {
  if (option != "--" && app.get_option_no_throw(option) == nullptr)
    throw UsageError(
        fmt::format("there is no option \"{}\" before a command; {} --help and {} --version are all", option,
                    app.get_name(), app.get_name()));
}

/// What is typed ends in results, which are UTF-8.
void refuse_other_than_utf_8(int argument_count, const char* const* arguments) {
  for (int i = 1; i < argument_count; ++i)
    if (!is_utf_8(arguments[i]))
      throw UsageError(fmt::format("argument {}: not UTF-8, got \"{}\"; texts and names of files are UTF-8",
                                   i, arguments[i]));
}

/// CLI11 would call a mistyped command an unexpected argument.
void refuse_unknown_command(const CLI::App& app, int argument_count, const char* const* arguments) {
  const std::string typed = argument_count < 2 ? "" : arguments[1];
  if (typed.starts_with('-')) return refuse_unknown_option(app, typed.substr(0, typed.find('=')));
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == typed) return;
    if (!command->get_group().empty()) names.push_back(command->get_name());  // else it is hidden
  }
  if (argument_count < 2)
    throw UsageError(fmt::format("a command is missing; there are {}; {} --help says more",
                                 fmt::join(names, ", "), app.get_name()));
  throw UsageError(fmt::format("there is no command \"{}\"{}; there are {}; {} --help says more",
                               arguments[1], suggestion(arguments[1], names), fmt::join(names, ", "),
                               app.get_name()));
}

/// "starling run" once it is known that run was meant.
std::string command_named(const CLI::App& app) {
  std::string name = app.get_name();
  for (const CLI::App* command : app.get_subcommands()) name += " " + command_named(*command);
  return name;
}

const CLI::App& given_command(const CLI::App& app) {
  const std::vector<CLI::App*> given = app.get_subcommands();
  return given.empty() ? app : given_command(*given.front());
}

/// In the order they were typed, of which CLI11 makes the reverse.
std::string unexpected_text(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining(true);
  std::vector<std::string> known;
  for (const CLI::Option* option : given_command(app).get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  const std::string hint = words.front().starts_with("--") ? suggestion(words.front(), known) : "";
  return fmt::format("not expected: {}{}", fmt::join(words, " "), hint);
}

}  // namespace

ExitCode exit_code_of(const std::exception& error) {
  const bool is_wrong_input = dynamic_cast<const ScenarioError*>(&error) != nullptr ||
                              dynamic_cast<const UsageError*>(&error) != nullptr ||
                              dynamic_cast<const UnwritablePath*>(&error) != nullptr;
  return is_wrong_input ? wrong_input : run_failed;
}

void Command::add_required_word(const std::string& name, Target target, const std::string& meaning) {
  add(*app_, name, target, meaning).required()->type_name("");
}

void Command::add_word(const std::string& name, Target target, const std::string& meaning) {
  add(*app_, name, target, meaning).type_name("");
}

void Command::add_words(const std::string& name, std::vector<std::string>* target,
                        const std::string& meaning) {
  app_->add_option(name, *target, meaning)->required()->type_name("");
}

void Command::add_option(const std::string& name, const std::string& value, Target target,
                         const std::string& meaning) {
  add(*app_, name, target, meaning).type_name(value)->allow_extra_args(false);
}

void Command::add_flag(const std::string& name, bool& target, const std::string& meaning) {
  app_->add_flag(name, target, meaning);
}

void Command::set_footer(const std::string& text) { app_->footer(text); }

void Command::ignore_arguments() { app_->prefix_command(); }

void Command::hide() { app_->group(""); }

Command Command::add_command(const std::string& name, const std::string& description) {
  app_->require_subcommand(1);
  return {*app_->add_subcommand(name, description), *chosen_};
}

void Command::does(Action action) {
  app_->callback([chosen = chosen_, action = std::move(action)] { *chosen = action; });
}

CommandLine::CommandLine(const std::string& program, const std::string& description,
                         const std::string& version_text)
    : app_(std::make_unique<CLI::App>(description, program)) {
  app_->set_version_flag("--version", version_text);
  app_->set_help_flag("-h,--help", "Print this help");
  app_->require_subcommand(1);
  app_->get_formatter()->label("SUBCOMMAND", "COMMAND");
  app_->get_formatter()->label("Subcommands", "Commands");
}

CommandLine::~CommandLine() = default;

Command CommandLine::add_command(const std::string& name, const std::string& description) {
  return {*app_->add_subcommand(name, description), chosen_};
}

void CommandLine::set_footer(const std::string& text) { app_->footer(text); }

Action CommandLine::parse(int argument_count, const char* const* arguments) {
  refuse_other_than_utf_8(argument_count, arguments);
  refuse_unknown_command(*app_, argument_count, arguments);
  try {
    app_->parse(argument_count, arguments);
  } catch (const CLI::Success& request) {  // --help, --version
    return [this, request] {
      std::ostringstream text;
      const int exit_code = app_->exit(request, text);
      print_out(text.str());
      return exit_code;
    };
  } catch (const CLI::ParseError& error) {
    const bool is_unexpected = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
    throw UsageError(fmt::format("{}; {} --help says what is possible",
                                 is_unexpected ? unexpected_text(*app_) : error.what(),
                                 command_named(*app_)));
  }
  return chosen_;
}

}  // namespace starling
