#include "sim/messages/scheduled_worker.hpp"

#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/errors.hpp"

namespace starling {
namespace {

/// Longer than any job, and short enough that sums of times stay finite.
constexpr double longest_s = 1e15;

}  // namespace

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

void ScheduledWorker::require_followable(double seconds) const {
  STARLING_INVARIANT(seconds >= 0);
  if (!(seconds <= longest_s))
    throw std::runtime_error(
        fmt::format("worker {} would compute for {:.3g} s at once, but at most {:g} s can be simulated; "
                    "check compute times and imbalance, which multiplies them",
                    rank(), seconds, longest_s));
}

void ScheduledWorker::use_gpu(double seconds, SpentOn on) {
  require_followable(seconds);
  scheduler_.sleep_until(gpu_.book(now(), seconds), {on, network_rank_}, &gpu_.turn);
}

void ScheduledWorker::trace(std::string_view name, double start_s, const SpanDetails& details) {
  if (trace_ == nullptr) return;
  const bool is_training = &scheduler_.current() == trains_;
  if (is_training) trace_waiting(start_s);
  SpanDetails with_iteration = details;
  with_iteration.iteration = iteration_;
  trace_->span(rank(), scheduler_.current().name(), name, start_s, now(), with_iteration);
  if (is_training) shown_until_s_ = now();
}

void ScheduledWorker::begin_iteration(std::int64_t iteration) {
  if (trains_ != nullptr) ScheduledWorker::end_iteration();
  iteration_ = iteration;
  trains_ = &scheduler_.current();
}

void ScheduledWorker::end_iteration() {
  if (trace_ != nullptr) trace_waiting(now());
}

void ScheduledWorker::note(Activity activity) {
  if (trace_ != nullptr && activity != Activity::waiting) trace_waiting(now());
}

void ScheduledWorker::trace_waiting(double until_s) {
  if (until_s <= shown_until_s_) return;
  trace_->span(rank(), scheduler_.current().name(), "wait", shown_until_s_, until_s,
               {.iteration = iteration_, .waits_for = awaited_until(until_s)});
  shown_until_s_ = until_s;
}

Rank ScheduledWorker::awaited_until(double end_s) const {
  CausalLog* const causes = scheduler_.causes();
  if (causes == nullptr || end_s != now()) return SpanDetails{}.waits_for;
  constexpr double not_shown_s = 5e-10;  // less than a timeline's nanosecond: rounding names no worker
  return causes->last_at_work(causes->current(end_s), shown_until_s_ + not_shown_s, network_rank_);
}

}  // namespace starling
