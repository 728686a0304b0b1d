#pragma once

#include "commands/calibrate_command.hpp"
#include "commands/native_command.hpp"

namespace starling {

/// The functions that need MPI.
struct Measuring {
  void (*natively)(const NativeArguments& arguments) = nullptr;
  void (*costs)(const CalibrateArguments& arguments) = nullptr;
  /// @throws UsageError, which says how to get MPI, if the program has none.
  void (*require)() = nullptr;
};

/// The functions of the library that the program links: commands_with_mpi or commands_without_mpi.
Measuring measuring();

}  // namespace starling
