#pragma once

#include "commands/measuring.hpp"

namespace starling {

/// Executes the command line and returns the exit code: the whole of a program's main. The functions that
/// measure are passed in, so that only programs with MPI link them.
int run_program(int argument_count, char** arguments, const Measuring& measuring) noexcept;

}  // namespace starling
