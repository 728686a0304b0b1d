#pragma once

#include "commands/shared/command.hpp"

namespace starling {

/// `starling test`, which only the launcher at the root of the repository can execute; here it says so.
void add_test(CommandLine& line);

}  // namespace starling
