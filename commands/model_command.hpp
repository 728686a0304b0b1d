#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "commands/shared/command.hpp"

namespace starling {

/// `starling model`.
struct ModelArguments {
  std::filesystem::path scenario;
  std::vector<std::string> overrides;  // /json/pointer=VALUE
  std::optional<std::string> engine;   // the scenario's if absent
  std::optional<std::filesystem::path> out;
  bool is_without_simulation = false;
  bool explains = false;
  bool prints_lines = false;
  bool is_forced = false;
  bool is_quiet = false;
};

void add_model(CommandLine& line);

/// Prints the predicted iteration time of every algorithm of a scenario beside the simulated one, and writes
/// DIR/model.json if --out is given. @throws ScenarioError, UsageError for bad input; std::system_error if
/// the file cannot be written.
void model_command(const ModelArguments& arguments);

}  // namespace starling
