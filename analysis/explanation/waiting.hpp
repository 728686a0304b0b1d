#pragma once

#include "workloads/records/iteration_log.hpp"

namespace starling {

/// Divides the time that workers were blocked by cause: sets imbalance_wait_s of every record; the rest of
/// blocked_s is exposed communication. Waiting for imbalance is what would be left if communication took no
/// time, but no more than there was. Every worker must have the same number of records.
///
/// Of a synchronous algorithm: min(blocked, own work of the iteration's slowest worker − own work), where own
/// work is delay, forward and backward. Own work, not the time at which the backward pass ends, because some
/// algorithms wait for slow workers in the middle of the next forward pass, which then ends late everywhere.
void attribute_waiting(IterationLog& log);
/// Of any algorithm: as long as the same worker was blocked in the same iteration of `free`, the log of the
/// same run, with the same draws, on a network that costs nothing.
void attribute_waiting(IterationLog& log, const IterationLog& free);

}  // namespace starling
