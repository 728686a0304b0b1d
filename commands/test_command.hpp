#pragma once

#include "commands/shared/command.hpp"

namespace starling {

/// `starling test`, which the launcher at the root of the repository answers: here it says so.
void add_test(CommandLine& line);

}  // namespace starling
