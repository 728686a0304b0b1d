#include "commands/measuring.hpp"

/// The entry point of the module, which with_mpi.cpp calls.
extern "C" void starling_measuring(starling::Measuring& measuring) {
  measuring = {.natively = starling::measure_natively, .costs = starling::measure_costs, .require = [] {}};
}
