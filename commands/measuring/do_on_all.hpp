#pragma once

#include <functional>

#include "sim/native/mpi_job.hpp"

namespace starling {

/// Collective: does something on this rank, and goes on only if that succeeded on all. The lowest rank where
/// it failed says why. An action that has collectives itself may throw only after them, and alike on all
/// ranks: else those where it threw would tell of it while the others are still in these collectives, and
/// nobody would end. @throws ReportedError if it failed on any.
void do_on_all(const MpiJob& job, const std::function<void()>& action);

}  // namespace starling
