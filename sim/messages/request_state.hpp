#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "sim/messages/matching.hpp"
#include "sim/strands/scheduler.hpp"
#include "sim/worker.hpp"

namespace starling {

/// Notified when a request is complete, where no strand waits for it.
class RequestObserver {
 public:
  virtual ~RequestObserver() = default;
  virtual void request_completed() = 0;
};

/// A send or receive in progress.
class RequestState : public MatchEntry {
 public:
  /// Marks the request as complete; makes the waiting strand ready and notifies the observer.
  void complete(Scheduler& scheduler) {
    is_complete = true;
    if (waiter) scheduler.make_ready(*std::exchange(waiter, nullptr));
    if (observer) observer->request_completed();
  }

  // Placed directly after the flag of MatchEntry, without a gap.
  bool is_complete = false;
  bool is_send = false;
  bool is_communication = false;  // a receive that slows its worker's GPU until it is complete
  std::uint32_t step_at_end = 0;  // see TimedAction::ended_step
  Strand* waiter = nullptr;
  RequestObserver* observer = nullptr;
  std::unique_ptr<std::string> error;  // of a receive whose message does not match it
};

/// Blocks the running strand until the request is complete.
void wait_until_complete(Scheduler& scheduler, RequestState& request);
/// Blocks the running strand until all the requests are complete.
void wait_until_complete(Scheduler& scheduler, std::span<const Request> requests);

[[noreturn]] void reject_peer(Rank rank, int world_size, Rank peer, Tag tag, const char* operation);
/// @throws CommunicationError, which names `operation` and `rank`, if there is no rank `peer`.
inline void require_peer(Rank rank, int world_size, Rank peer, Tag tag, const char* operation) {
  if (peer < 0 || peer >= world_size) reject_peer(rank, world_size, peer, tag, operation);
}

}  // namespace starling
