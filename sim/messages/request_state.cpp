#include "sim/messages/request_state.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"

namespace starling {

void wait_until_complete(Scheduler& scheduler, RequestState& request) {
  while (!request.is_complete) {
    request.waiter = &scheduler.current();
    scheduler.block({.what = request.is_send ? WaitsFor::What::sending : WaitsFor::What::message,
                     .peer = request.peer,
                     .tag = request.tag});
  }
}

void require_peer(Rank rank, int world_size, Rank peer, Tag tag, const char* operation) {
  if (peer >= 0 && peer < world_size) return;
  throw CommunicationError(fmt::format("rank {} cannot {} rank {} (tag {}): ranks are 0 … {}", rank,
                                       operation, peer, tag, world_size - 1));
}

}  // namespace starling
