#pragma once

#include <functional>

#include "sim/native/mpi_job.hpp"

namespace starling {

/// Collective: performs an action on this rank, and returns only if it succeeded on all ranks. If it failed,
/// the lowest rank where it did prints the error. An action with collectives of its own may throw only after
/// them, and then on all ranks: otherwise the ranks where it threw would wait here while the others are still
/// in these collectives, a deadlock. @throws ReportedError on all ranks if the action failed on any.
void do_on_all(const MpiJob& job, const std::function<void()>& action);

}  // namespace starling
