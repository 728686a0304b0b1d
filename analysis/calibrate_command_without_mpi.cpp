#include "analysis/calibrate_command.hpp"
#include "scenarios/native_command.hpp"

namespace starling {

void calibrate_command(const CalibrateArguments&) { require_mpi(); }

}  // namespace starling
