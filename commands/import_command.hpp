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

/// `starling import`: converts a file of another simulator to a block of a scenario, prints the block and
/// writes the files that it names. @throws UsageError for bad arguments, ScenarioError for a file that does
/// not have that format.
void import_command(const ImportArguments& arguments);

}  // namespace starling
