#pragma once

#include <string>
#include <vector>

#include "commands/shared/command.hpp"

namespace starling {

/// The arguments of `starling list`.
struct ListArguments {
  std::string what;           // one of listable()
  bool prints_lines = false;  // lines of JSON instead of text
};

void add_list(CommandLine& line);

/// Prints the names, with descriptions, that a scenario may use. @throws UsageError if `what` is not one of
/// listable().
void list_command(const ListArguments& arguments);
/// The kinds of names that can be listed: "models", "profiles" …
std::vector<std::string> listable();

}  // namespace starling
