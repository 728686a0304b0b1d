#include "scenarios/commands.hpp"
#include "scenarios/native_command.hpp"

namespace starling {

void native_command(const NativeArguments&) {
  throw UsageError(
      "this starling was built without MPI, so it cannot run anything for real; install an MPI (on Debian "
      "libopenmpi-dev or libmpich-dev) and build it again");
}

}  // namespace starling
