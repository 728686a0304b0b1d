#pragma once

#include "topologies/graphs/communication_graph.hpp"
#include "workloads/records/iteration_log.hpp"

namespace starling {

/// When workers send their models: as soon as the iteration begins, after the backward pass, or after the
/// update.
enum class SendPoint { at_begin, when_ready, after_update };

/// Which workers each worker waits for, where that does not depend on time.
struct WaitingPattern {
  const CommunicationGraph* graph = nullptr;  // workers wait for their in-neighbors' models; null: for all
  SendPoint send_point = SendPoint::when_ready;
  /// Models are sent by rendezvous: workers also wait until their out-neighbors come to receive.
  bool waits_for_receivers = false;
  std::int64_t period = 1;  // workers wait in the last of every so many iterations
};

/// Divides the time that workers were blocked by cause: sets imbalance_wait_s of every record; the rest of
/// blocked_s is exposed communication. Waiting for imbalance is the waiting that would remain if
/// communication took no time, but no more than there was. Every worker must have the same number of records.
///
/// In algorithms that are not synchronous this holds over the run of a worker: where it waited less than
/// without communication, because it came later, the latest time before that it was blocked made it late.
/// That time cost nothing, and is waiting for imbalance, too. So the exposed communication from any iteration
/// on is how much later the worker ended than without communication, unless it made up for time that it was
/// blocked before.
///
/// This overload is for synchronous algorithms: min(blocked, own work of the iteration's slowest worker − own
/// work), where own work is delay, forward and backward. It uses own work, not the time at which the backward
/// pass ends, as some algorithms wait for slow workers in the middle of the next forward pass, which then
/// ends late everywhere.
void attribute_waiting(IterationLog& log);
/// For an algorithm whose forward pass waits, after the delay, until all workers have ended the iteration
/// before.
void attribute_waiting_for_iteration_before(IterationLog& log);
/// For an algorithm with a waiting pattern: computes from the log's own work how long workers would wait if
/// messages took no time. O(edges) per iteration; reads the log twice.
void attribute_waiting(IterationLog& log, const WaitingPattern& pattern);
/// For any algorithm: takes the time that the same worker was blocked in `free`, the log of the same run,
/// with the same draws, on a free network, where messages that go by rendezvous still do.
void attribute_waiting(IterationLog& log, const IterationLog& free);

}  // namespace starling
