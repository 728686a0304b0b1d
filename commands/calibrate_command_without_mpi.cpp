#include "commands/calibrate_command.hpp"
#include "commands/native_command.hpp"

namespace starling {

void calibrate_command(const CalibrateArguments&) { require_mpi(); }

}  // namespace starling
