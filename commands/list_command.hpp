#pragma once

#include <string>
#include <vector>

#include "commands/shared/command.hpp"

namespace starling {

/// `starling list`.
struct ListArguments {
  std::string what;
  bool prints_lines = false;  // of JSON, in place of text
};

void add_list(CommandLine& line);

/// Prints names and descriptions of what a scenario may name. @throws UsageError for what cannot be listed.
void list_command(const ListArguments& arguments);
/// What can be listed.
std::vector<std::string> listable();

}  // namespace starling
