#include "commands/measuring.hpp"
#include "io/terminal/terminal.hpp"

namespace starling {
namespace {

[[noreturn]] void refuse() {
  throw UsageError(
      "this starling was built without MPI, so it can predict but not measure; install an MPI (on Debian "
      "openmpi-bin and libopenmpi-dev), then build again from the beginning: cmake --fresh --preset release "
      "&& cmake --build --preset release");
}

}  // namespace

Measuring measuring() {
  return {.natively = [](const NativeArguments&) { refuse(); },
          .costs = [](const CalibrateArguments&) { refuse(); },
          .require = [] { refuse(); }};
}

}  // namespace starling
