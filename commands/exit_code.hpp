#pragma once

#include <exception>

namespace starling {

/// What the program exits with, unless it runs another program, whose exit code it then takes.
enum ExitCode : int { done = 0, run_failed = 1, wrong_input = 2 };

/// Tells bad input, which the user can mend, from a failure.
ExitCode exit_code_of(const std::exception& error);

}  // namespace starling
