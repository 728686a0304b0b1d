#include "analysis/calibrate_command.hpp"
#include "scenarios/commands.hpp"

namespace starling {

void calibrate_command(const CalibrateArguments&) {
  throw UsageError(
      "this starling was built without MPI, so it cannot measure anything; install an MPI (on Debian "
      "libopenmpi-dev or "
      "libmpich-dev) and build it again");
}

}  // namespace starling
