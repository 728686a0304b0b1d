#pragma once

#include "topologies/graphs/communication_graph.hpp"
#include "workloads/records/iteration_log.hpp"

namespace starling {

/// When workers send their models: as soon as the iteration begins, after the backward pass, or after the
/// update.
enum class ModelsLeave { at_begin, when_ready, after_update };

/// Which workers each worker waits for, whatever takes how long.
struct WaitingPattern {
  const CommunicationGraph* graph = nullptr;  // for their in-neighbors' models; null: for everyone's
  ModelsLeave leave = ModelsLeave::when_ready;
  std::int64_t period = 1;  // in the last of so many iterations
};

/// Divides the time that workers were blocked by cause: sets imbalance_wait_s of every record; the rest of
/// blocked_s is exposed communication. Waiting for imbalance is what would be left if communication took no
/// time, but no more than there was. Every worker must have the same number of records.
///
/// Of algorithms that are not synchronous this holds over the run of a worker: where it waited for less than
/// without communication, because it came later, what it was blocked in the latest iterations before made it
/// late, cost nothing and is waiting for imbalance, too. So exposed communication from any iteration on is
/// how much later the worker ended than without, unless it made up for what it was blocked before that.
///
/// Of a synchronous algorithm: min(blocked, own work of the iteration's slowest worker − own work), where own
/// work is delay, forward and backward. Own work, not the time at which the backward pass ends, because some
/// algorithms wait for slow workers in the middle of the next forward pass, which then ends late everywhere.
void attribute_waiting(IterationLog& log);
/// Of one whose forward pass waits, after the delay, for the iteration before to have ended everywhere.
void attribute_waiting_for_iteration_before(IterationLog& log);
/// Of an algorithm with such a pattern: computes in O(edges) an iteration, from the log's own work, how long
/// workers would wait if messages took no time. Reads the log twice.
void attribute_waiting(IterationLog& log, const WaitingPattern& pattern);
/// Of any algorithm: as long as the same worker was blocked in `free`, the log of the same run, with the same
/// draws, on a network that costs nothing.
void attribute_waiting(IterationLog& log, const IterationLog& free);

}  // namespace starling
