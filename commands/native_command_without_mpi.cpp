#include "commands/native_command.hpp"
#include "io/terminal.hpp"

namespace starling {

void native_command(const NativeArguments&) { require_mpi(); }

void require_mpi() {
  throw UsageError(
      "this starling was built without MPI, so it can predict but not measure; install an MPI (on Debian "
      "openmpi-bin and libopenmpi-dev), then build again from the beginning: cmake --fresh --preset release "
      "&& "
      "cmake --build --preset release");
}

}  // namespace starling
