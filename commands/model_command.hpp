#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "commands/shared/command.hpp"

namespace starling {

/// The arguments of `starling model`.
struct ModelArguments {
  std::filesystem::path scenario;
  std::vector<std::string> overrides;  // /json/pointer=VALUE
  std::optional<std::string> engine;   // nullopt: the scenario's
  std::optional<std::filesystem::path> out;
  bool is_without_simulation = false;
  bool explains = false;
  bool prints_lines = false;
  bool is_forced = false;
  bool is_quiet = false;
};

void add_model(CommandLine& line);

/// Prints, for every algorithm of a scenario, the iteration time predicted by the runtime model and the
/// simulated one, and writes DIR/model.json if --out is given. @throws ScenarioError, UsageError for bad
/// input; std::system_error if the file cannot be written.
void model_command(const ModelArguments& arguments);

}  // namespace starling
