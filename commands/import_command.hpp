#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "commands/shared/command.hpp"

namespace starling {

struct ImportArguments {
  std::string format;
  std::filesystem::path file;
  std::optional<std::filesystem::path> out;
  std::optional<int> batch_size;
};

void add_import(CommandLine& line);

/// `starling import`: prints the part of a scenario that another simulator's file becomes, and writes the
/// files that it names. @throws UsageError for bad arguments, ScenarioError for a file that is not of that
/// format.
void import_command(const ImportArguments& arguments);

}  // namespace starling
