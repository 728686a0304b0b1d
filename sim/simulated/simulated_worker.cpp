#include "sim/simulated/simulated_worker.hpp"

#include <utility>

namespace starling {

Request SimulatedWorker::isend(Buffer outgoing, Rank destination, Tag tag) {
  require_peer(destination, tag, "send to");
  endpoint_.pay_overhead();
  return Request(endpoint_.post_send(outgoing, destination, tag, MessageKind::data,
                                     endpoint_.costs().eager_threshold_bytes));
}

Request SimulatedWorker::irecv(Buffer incoming, Rank source, Tag tag) {
  Receive& receive = endpoint_.new_receive();
  endpoint_.post_receive(receive, incoming, source, tag, MessageKind::data);
  return Request(&receive);
}

Notification SimulatedWorker::wait_notification() {
  const Notification notification = endpoint_.notifications().pop();
  endpoint_.pay_overhead();
  return notification;
}

void SimulatedWorker::accumulate(Buffer into, Buffer from) {
  endpoint_.begin_communication();
  endpoint_.reduce(into, from);
  endpoint_.end_communication();
}

void SimulatedWorker::compute(double seconds) {
  if (!endpoint_.gpu()) return use_gpu(seconds, SpentOn::compute);
  require_followable(seconds);
  endpoint_.gpu()->compute(seconds);
}

void SimulatedWorker::delay(double seconds) {
  if (!endpoint_.gpu()) return use_gpu(seconds, SpentOn::delay);
  require_followable(seconds);
  endpoint_.gpu()->delay(seconds);
}

void SimulatedWorker::run_exchanges(ExchangeSequence& sequence, Tag tag) {
  ExchangeRunner& runner = exchange_runners_.take();
  runner.run(endpoint_, sequence, tag);
  exchange_runners_.give_back(runner);
}

bool SimulatedWorker::poll_exchanges(ExchangeSequence& sequence, Tag tag) {
  if (!sequence.runner) {
    ExchangeRunner& runner = exchange_runners_.take();
    sequence.runner = &runner;
    runner.begin(endpoint_, sequence, tag);
  }
  ExchangeRunner& runner = static_cast<ExchangeRunner&>(*sequence.runner);
  if (!runner.poll()) return false;
  sequence.runner = nullptr;
  runner.end();
  exchange_runners_.give_back(runner);
  return true;
}

void SimulatedWorker::spawn_stepwise(std::string name, std::function<void()> step) {
  if (strands_) return strands_->spawn_stepwise(rank(), name, std::move(step));
  scheduler().spawn_stepwise(rank(), std::move(name), std::move(step));
}

void SimulatedWorker::spawn(std::string name, std::function<void()> body, StrandKind kind) {
  if (strands_) return strands_->spawn(rank(), name, std::move(body), kind);
  scheduler().spawn(rank(), std::move(name), std::move(body), kind == StrandKind::background);
}

void SimulatedWorker::begin_iteration(std::int64_t iteration) {
  ScheduledWorker::begin_iteration(iteration);
  endpoint_.note_iteration(iteration);
}

void SimulatedWorker::end_iteration() {
  ScheduledWorker::end_iteration();
  if (CausalLog* const causes = scheduler().causes())
    causes->iteration_ended(endpoint_.network_rank(), now(), causes->current(now()));
}

void SimulatedWorker::note(Activity activity) {
  ScheduledWorker::note(activity);
  endpoint_.note(activity);
}

void SimulatedWorker::give_back(RequestState& request) {
  if (request.is_send)
    endpoint_.give_back(static_cast<Send&>(request));
  else
    endpoint_.give_back(static_cast<Receive&>(request));
}

}  // namespace starling
