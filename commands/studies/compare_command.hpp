#pragma once

#include <string>
#include <vector>

#include "commands/shared/command.hpp"

namespace starling {

/// The arguments of `starling compare`.
struct CompareArguments {
  std::vector<std::string> results;  // folders, or files
  bool is_json = false;
};

void add_compare(CommandLine& line);

/// Prints the differences between results; the first is the base. @throws ScenarioError, UsageError for bad
/// input.
void compare_command(const CompareArguments& arguments);

}  // namespace starling
