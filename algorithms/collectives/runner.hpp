#pragma once

#include <memory>

#include "algorithms/collectives/schedules/schedule.hpp"
#include "sim/worker.hpp"

namespace starling {

/// Runs this rank's rounds of `schedule` on `buffer`, message by message. All ranks of the world must do so
/// with the same schedule and tag; collectives that may overlap in time need different tags.
///
/// Per round: posts the receive, sends, waits for both, and adds what came in if the round reduces. Rounds
/// without a message cost nothing. Allocates its own state and, for real buffers, one inbox.
/// @throws InvariantError if buffer.count() ≠ schedule.count(), or the schedule is not for world_size()
/// ranks.
void run_schedule(Worker& worker, const Schedule& schedule, Buffer buffer, Tag tag,
                  MessageKind kind = MessageKind::data);

/// The same for a stepwise strand.
class ScheduleRun {
 public:
  /// Begins nothing yet.
  ScheduleRun(Worker& worker, const Schedule& schedule, Buffer buffer, Tag tag);

  /// Begins, or goes on. True once this rank's rounds are complete; until then the strand's next step comes
  /// when they are, and must ask again.
  bool poll() { return worker_.poll_exchanges(*rounds_, tag_); }

 private:
  Worker& worker_;
  std::unique_ptr<ExchangeSequence> rounds_;
  Tag tag_;
};

}  // namespace starling
