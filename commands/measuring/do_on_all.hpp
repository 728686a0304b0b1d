#pragma once

#include <functional>

#include "sim/native/mpi_job.hpp"

namespace starling {

/// Collective: does something on this rank, and goes on only if that succeeded on all. The lowest rank where
/// it failed says why. @throws ReportedError if it failed on any.
void do_on_all(const MpiJob& job, const std::function<void()>& action);

}  // namespace starling
