#include "sim/messages/request_state.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.hpp"

namespace starling {
namespace {

WaitsFor what_waits_for(const RequestState& request) {
  return {.what = request.is_send ? WaitsFor::What::sending : WaitsFor::What::message,
          .peer = request.peer,
          .tag = request.tag};
}

/// Makes a strand ready when the last of several requests is complete.
class LastOfAll final : public RequestObserver, public WaitsOnBehalf {
 public:
  LastOfAll(Scheduler& scheduler, std::span<const Request> requests)
      : scheduler_(scheduler), strand_(scheduler.current()), requests_(requests) {
    for (const Request& request : requests) {
      if (!is_awaited(request)) continue;
      request.state()->observer = this;
      ++left_;
    }
  }

  bool are_complete() const { return left_ == 0; }

  void request_completed() override {
    if (--left_ == 0) scheduler_.make_ready(strand_);
  }

  WaitsFor waits_for() const override {
    const auto first = std::ranges::find_if(requests_, is_awaited);
    return first == requests_.end() ? WaitsFor{} : what_waits_for(*first->state());
  }

 private:
  static bool is_awaited(const Request& request) { return request.state() && !request.state()->is_complete; }

  Scheduler& scheduler_;
  Strand& strand_;
  std::span<const Request> requests_;
  std::size_t left_ = 0;
};

}  // namespace

void wait_until_complete(Scheduler& scheduler, RequestState& request) {
  while (!request.is_complete) {
    request.waiter = &scheduler.current();
    scheduler.block(what_waits_for(request));
  }
}

void wait_until_complete(Scheduler& scheduler, std::span<const Request> requests) {
  LastOfAll last(scheduler, requests);
  while (!last.are_complete()) scheduler.block({.what = WaitsFor::What::others, .others = &last});
  for (const Request& request : requests)
    if (request.state()) request.state()->observer = nullptr;
}

void reject_peer(Rank rank, int world_size, Rank peer, Tag tag, const char* operation) {
  throw CommunicationError(fmt::format("rank {} cannot {} rank {} (tag {}): ranks are 0 … {}", rank,
                                       operation, peer, tag, world_size - 1));
}

}  // namespace starling
