#pragma once

#include <string>
#include <vector>

#include "commands/shared/command.hpp"

namespace starling {

void add_list(CommandLine& line);

/// `starling list`: prints names and descriptions of what a scenario may name. @throws UsageError for what
/// cannot be listed.
void list_command(const std::string& what);
/// What can be listed.
std::vector<std::string> listable();

}  // namespace starling
