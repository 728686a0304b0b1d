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

/// Prints what the model says of every algorithm of a scenario, beside what the simulation does.
void model_command(const ModelArguments& arguments);

}  // namespace starling
