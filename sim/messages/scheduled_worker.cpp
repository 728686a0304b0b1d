#include "sim/messages/scheduled_worker.hpp"

#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "base/errors.hpp"

namespace starling {

void ScheduledWorker::wait(Request& request) {
  if (!request.state()) return;
  wait_until_complete(scheduler_, *request.state());
  end(request);
}

void ScheduledWorker::wait_all(std::span<Request> requests) {
  wait_until_complete(scheduler_, requests);
  for (Request& request : requests)
    if (request.state()) end(request);
}

void ScheduledWorker::end(Request& request) {
  RequestState& state = *std::exchange(request, Request()).state();
  const std::unique_ptr<std::string> error = std::move(state.error);
  give_back(state);
  if (error) throw CommunicationError(*error);
}

void ScheduledWorker::compute(double seconds) {
  STARLING_INVARIANT(seconds >= 0 && seconds <= std::numeric_limits<double>::max());
  scheduler_.sleep_until(gpu_.book(now(), seconds));
}

void ScheduledWorker::trace(std::string_view name, double start_s) {
  if (trace_) trace_->span(rank(), scheduler_.current().name(), name, start_s, now());
}

}  // namespace starling
