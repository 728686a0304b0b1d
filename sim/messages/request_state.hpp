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

/// Who goes on when a request is complete, if it is no strand.
class RequestObserver {
 public:
  virtual ~RequestObserver() = default;
  virtual void request_completed() = 0;
};

/// A send or receive under way.
class RequestState : public MatchEntry {
 public:
  /// Lets whoever waits go on.
  void complete(Scheduler& scheduler) {
    is_complete = true;
    if (waiter) scheduler.make_ready(*std::exchange(waiter, nullptr));
    if (observer) observer->request_completed();
  }

  // These follow the flag of MatchEntry without a gap.
  bool is_complete = false;
  bool is_send = false;
  bool is_communication = false;  // of a receive: slows its worker's computing until it is complete
  std::uint32_t step_at_end = 0;  // see TimedAction::ended_step
  Strand* waiter = nullptr;
  RequestObserver* observer = nullptr;
  std::unique_ptr<std::string> error;  // of a receive that the message does not fit
};

/// Blocks the running strand until the request is complete.
void wait_until_complete(Scheduler& scheduler, RequestState& request);
/// Blocks the running strand until all the requests are complete.
void wait_until_complete(Scheduler& scheduler, std::span<const Request> requests);

[[noreturn]] void reject_peer(Rank rank, int world_size, Rank peer, Tag tag, const char* operation);
/// @throws CommunicationError that says which `operation` of `rank` it is about, if there is no such peer.
inline void require_peer(Rank rank, int world_size, Rank peer, Tag tag, const char* operation) {
  if (peer < 0 || peer >= world_size) reject_peer(rank, world_size, peer, tag, operation);
}

}  // namespace starling
