#pragma once

#include "commands/calibrate_command.hpp"
#include "commands/native_command.hpp"

namespace starling {

/// What only a program that has MPI can do.
struct Measuring {
  void (*natively)(const NativeArguments& arguments) = nullptr;
  void (*costs)(const CalibrateArguments& arguments) = nullptr;
  /// @throws UsageError, which tells how to get MPI, if there is none.
  void (*require)() = nullptr;
};

/// What the library does that the program is linked with: commands_with_mpi or commands_without_mpi.
Measuring measuring();

}  // namespace starling
