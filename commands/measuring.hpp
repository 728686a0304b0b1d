#pragma once

#include "commands/calibrate_command.hpp"
#include "commands/native_command.hpp"

namespace starling {

/// What only a program that has MPI can do.
struct Measuring {
  void (*natively)(const NativeArguments& arguments);
  void (*costs)(const CalibrateArguments& arguments);
  /// @throws UsageError, which tells how to get MPI, if there is none.
  void (*require)();
};

/// As the library does it that the program is linked with: commands_with_mpi or commands_without_mpi.
Measuring measuring();

}  // namespace starling
