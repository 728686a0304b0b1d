#pragma once

#include "commands/measuring.hpp"

namespace starling {

/// Does what the command line asks for and returns the exit code: all that a program's main does. What
/// measures is passed in, so that a program links it only if it has MPI.
int run_program(int argument_count, char** arguments, const Measuring& measuring) noexcept;

}  // namespace starling
