#include "commands/shared/command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <span>
#include <sstream>
#include <string>
#include <type_traits>

#include "base/texts/near_key.hpp"
#include "base/texts/number_in.hpp"
#include "io/output_file.hpp"
#include "io/scenario_error.hpp"
#include "io/terminal/terminal.hpp"
#include "io/texts/shown_text.hpp"

namespace starling {
namespace {

/// Accepts decimal integers only: CLI11 would read 010 as eight, and accept an empty text.
std::string read_integer(std::string& text) {
  const auto number = number_in<int>(text);
  if (!number) return fmt::format("\"{}\" is no integer up to {}", text, std::numeric_limits<int>::max());
  text = std::to_string(*number);
  return "";
}

std::string problem_of_path(const std::string& text) {
  if (text.empty()) return "a path is missing";
  return text.starts_with("--") ? fmt::format("a path is missing, or is ./{}", text) : "";
}

/// Refuses values of flags: CLI11 would accept true, false and numbers.
std::string problem_of_flag(const std::string& value) {
  return value == "true" ? "" : fmt::format("takes no value, got \"{}\"", value);
}

template <typename Value, typename Target>
constexpr bool is_of = std::is_same_v<Target, Value> || std::is_same_v<Target, std::optional<Value>>;

CLI::Option& add(CLI::App& app, const std::string& name, Command::Target target, const std::string& meaning) {
  return *std::visit(
      [&](auto* into) {
        using Value = std::remove_pointer_t<decltype(into)>;
        CLI::Option* const option = app.add_option(name, *into, meaning);
        if constexpr (is_of<int, Value>)
          option->transform(CLI::Validator(read_integer, ""));
        else if constexpr (is_of<std::filesystem::path, Value>)
          option->check(CLI::Validator(problem_of_path, ""));
        return option;
      },
      target);
}

/// Refuses an unknown option before the command, for which CLI11 would say that the command is missing.
void refuse_unknown_option(const CLI::App& app, const std::string& called, const std::string& option) {
  if (option == "--" || app.get_option_no_throw(option) != nullptr) return;
  const std::string version = app.get_option_no_throw("--version") == nullptr
                                  ? " is the only one"
                                  : fmt::format(" and {} --version are the only ones", called);
  throw UsageError(
      fmt::format("there is no option \"{}\" before a command; {} --help{}", option, called, version));
}

/// Arguments are copied to results, which must be UTF-8.
void refuse_other_than_utf_8(int argument_count, const char* const* arguments) {
  for (int i = 1; i < argument_count; ++i)
    if (!is_utf_8(arguments[i]))
      throw UsageError(fmt::format("argument {}: not UTF-8, got \"{}\"; texts and names of files are UTF-8",
                                   i, arguments[i]));
}

/// Refuses a mistyped command, which CLI11 would call an unexpected argument. `called` is the program or
/// command that has these subcommands.
void refuse_unknown_command(const CLI::App& app, const std::string& called,
                            std::span<const char* const> arguments) {
  const std::string typed = arguments.empty() ? "" : arguments.front();
  if (typed.starts_with('-')) return refuse_unknown_option(app, called, typed.substr(0, typed.find('=')));
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (!command->get_group().empty()) names.push_back(command->get_name());  // not if it is hidden
    if (command->get_name() != typed) continue;
    if (!command->get_subcommands({}).empty())
      refuse_unknown_command(*command, called + " " + typed, arguments.subspan(1));
    return;
  }
  if (arguments.empty())
    throw UsageError(fmt::format("a command is missing; there are {}; {} --help says more",
                                 fmt::join(names, ", "), called));
  throw UsageError(fmt::format("there is no command \"{}\"{}; there are {}; {} --help says more", typed,
                               suggestion(typed, names), fmt::join(names, ", "), called));
}

/// The program's name with that of the given command, if there is one: "starling run".
std::string command_named(const CLI::App& app) {
  std::string name = app.get_name();
  for (const CLI::App* command : app.get_subcommands()) name += " " + command_named(*command);
  return name;
}

const CLI::App& given_command(const CLI::App& app) {
  const std::vector<CLI::App*> given = app.get_subcommands();
  return given.empty() ? app : given_command(*given.front());
}

/// An error about unexpected arguments, in the order in which they were typed; CLI11 reverses it.
std::string unexpected_text(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining(true);
  std::vector<std::string> known;
  for (const CLI::Option* option : given_command(app).get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  const bool may_be_meant = words.front().starts_with("--") &&
                            std::ranges::find(known, words.front()) == known.end();  // known: it is after --
  return fmt::format("not expected: {}{}", fmt::join(words, " "),
                     may_be_meant ? suggestion(words.front(), known) : "");
}

/// An error about an option that is given too often or without its value, for which CLI11 says, after the
/// option's name, "At Most 1 required but received 2" or "1 required N missing".
std::string mismatch_text(const CLI::App& app, const std::string& said) {
  const std::string name = said.substr(0, said.find(':'));
  const CLI::Option* const option = given_command(app).get_option_no_throw(name);
  if (option == nullptr) return said;
  if (option->count() > static_cast<std::size_t>(option->get_items_expected_max()))
    return fmt::format("{} is given {} times, and may be once", name, option->count());
  return fmt::format("{}: {} is missing", name, option->get_type_name());
}

std::string text_of(const CLI::App& app, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) return unexpected_text(app);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) return mismatch_text(app, error.what());
  return error.what();
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
  app_->add_flag(name, target, meaning)->check(CLI::Validator(problem_of_flag, ""));
}

void Command::set_footer(const std::string& text) { app_->footer(text); }

void Command::ignore_arguments() { app_->prefix_command(); }

void Command::hide() { app_->group(""); }

Command Command::add_command(const std::string& name, const std::string& description) {
  app_->require_subcommand(1);
  return {*app_->add_subcommand(name, description)->group("Commands"), *chosen_};
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
}

CommandLine::~CommandLine() = default;

Command CommandLine::add_command(const std::string& name, const std::string& description) {
  return {*app_->add_subcommand(name, description)->group("Commands"), chosen_};
}

void CommandLine::set_footer(const std::string& text) { app_->footer(text); }

Action CommandLine::parse(int argument_count, const char* const* arguments) {
  refuse_other_than_utf_8(argument_count, arguments);
  const std::span words(arguments, static_cast<std::size_t>(argument_count));
  refuse_unknown_command(*app_, app_->get_name(), words.subspan(std::min(words.size(), std::size_t{1})));
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
    throw UsageError(
        fmt::format("{}; {} --help says what is possible", text_of(*app_, error), command_named(*app_)));
  }
  return chosen_;
}

}  // namespace starling
