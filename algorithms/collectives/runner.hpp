#pragma once

#include <memory>

#include "algorithms/collectives/schedules/schedule.hpp"
#include "sim/worker.hpp"

namespace starling {

/// Runs this rank's rounds of `schedule` on `buffer`, message by message. All ranks of the world must call it
/// with the same schedule and tag; collectives that may overlap in time need different tags.
///
/// In each round it posts the receive, sends, waits for both, and adds the received data if the round
/// reduces. Rounds without a message cost nothing. Allocates its own state and, for real buffers, one
/// receive buffer of the largest chunk that is reduced.
/// @throws InvariantError if buffer.count() ≠ schedule.count(), or schedule.ranks() ≠ world_size().
void run_schedule(Worker& worker, const Schedule& schedule, Buffer buffer, Tag tag,
                  MessageKind kind = MessageKind::data);

/// run_schedule() for a stepwise strand, which polls instead of blocking.
class ScheduleRun {
 public:
  /// Sends nothing yet; the first poll() starts the rounds.
  ScheduleRun(Worker& worker, const Schedule& schedule, Buffer buffer, Tag tag);

  /// Starts or continues this rank's rounds. Returns true once they are complete. If it returns false, the
  /// strand's next step is run when they are complete, and must call poll() again.
  bool poll() { return worker_.poll_exchanges(*rounds_, tag_); }

 private:
  Worker& worker_;
  std::unique_ptr<ExchangeSequence> rounds_;
  Tag tag_;
};

}  // namespace starling
