#include "sim/messages/request_state.hpp"

#include <algorithm>

#include "base/errors.hpp"

namespace starling {
namespace {

void set_waiter(std::span<Request> requests, Strand* waiter) {
  for (Request& request : requests)
    if (request.state()) request.state()->waiter = waiter;
}

}  // namespace

void wait_until_complete(Scheduler& scheduler, RequestState& request) {
  while (!request.is_complete) {
    request.waiter = &scheduler.current();
    scheduler.block({.what = request.is_send ? WaitsFor::What::sending : WaitsFor::What::message,
                     .peer = request.source,
                     .tag = request.tag});
  }
}

std::size_t wait_until_any_complete(Scheduler& scheduler, std::span<Request> requests) {
  const auto is_complete = [](const Request& r) { return r.state() && r.state()->is_complete; };
  while (true) {
    const auto first = std::find_if(requests.begin(), requests.end(), is_complete);
    if (first != requests.end()) {
      set_waiter(requests, nullptr);
      return static_cast<std::size_t>(first - requests.begin());
    }
    STARLING_INVARIANT(
        std::any_of(requests.begin(), requests.end(), [](const Request& r) { return r.state(); }));
    set_waiter(requests, &scheduler.current());
    scheduler.block({.what = WaitsFor::What::any_request});
  }
}

}  // namespace starling
