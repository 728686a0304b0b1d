#include "sim/networks/watched_network.hpp"

namespace starling {

WatchedNetwork::WatchedNetwork(NetworkModel& model, const Routes& routes, LinkWatch* links, TraceSink* trace,
                               CausalLog* causes)
    : model_(model),
      routes_(routes),
      links_(links),
      trace_(trace),
      causes_(causes),
      reported_(links != nullptr ? model.report_to(*links) : ReportedByModel::nothing),
      explains_(causes != nullptr && !model.explains()),
      counts_(links != nullptr && reported_ != ReportedByModel::messages_too),
      sends_couriers_(counts_ || trace != nullptr || explains_) {}

void WatchedNetwork::attach(Scheduler& scheduler) {
  scheduler_ = &scheduler;
  if (causes_ != nullptr) scheduler.record_causes(*causes_);
  workers_.assign(static_cast<std::size_t>(routes_.workers()), {});
  couriers_ = {};
  model_.attach(scheduler);
}

void WatchedNetwork::note(Rank rank, Activity activity) {
  if (links_ != nullptr) links_->workers().note(rank, activity, scheduler_->now());
}

void WatchedNetwork::note_iteration(Rank rank, std::int64_t iteration) {
  workers_[static_cast<std::size_t>(rank)].iteration = iteration;
}

void WatchedNetwork::start(Transfer& transfer) {
  model_.start(sends_couriers_ ? courier_of(transfer) : transfer);
}

void WatchedNetwork::start_unordered(Transfer& transfer) {
  model_.start_unordered(sends_couriers_ ? courier_of(transfer) : transfer);
}

WatchedNetwork::Courier& WatchedNetwork::courier_of(Transfer& transfer) {
  Courier& courier = couriers_.take();
  OfWorker& sender = workers_[static_cast<std::size_t>(transfer.source)];
  courier.network = this;
  courier.message = &transfer;
  if (sender.destination != transfer.destination) find_route(sender, transfer);
  courier.route = sender.route;
  courier.sent_s = scheduler_->now();
  courier.iteration = sender.iteration;
  courier.source = transfer.source;
  courier.destination = transfer.destination;
  courier.bytes = transfer.bytes;
  courier.buffered_bytes = transfer.buffered_bytes;
  if (counts_)
    for (const LinkIndex link : courier.route)
      links_->begin(link, transfer.bytes, links_->workers().activity(transfer.source), courier.sent_s);
  if (explains_) explain_sending(courier, sender);
  return courier;
}

void WatchedNetwork::find_route(OfWorker& sender, const Transfer& transfer) const {
  sender.destination = transfer.destination;
  sender.route = routes_.route(transfer.source, transfer.destination);
  if (!explains_) return;
  const RouteSummary summary = routes_.summary(transfer.source, transfer.destination);
  sender.slowest = summary.slowest;
  sender.latency_s = summary.latency_s;
}

void WatchedNetwork::explain_sending(Courier& courier, const OfWorker& sender) {
  courier.waited_for(causes_->current(courier.sent_s), courier.sent_s);
  courier.link = sender.slowest;
  courier.latency_s = sender.latency_s;
}

void WatchedNetwork::leave(Courier& courier) {
  if (explains_)
    causes_->happen_now(scheduler_->now(), courier.cause_of_leaving,
                        Blame{SpentOn::link, courier.route.front()});
  courier.message->left();
}

void WatchedNetwork::arrive(Courier& courier) {
  if (explains_)
    causes_->happen_now(scheduler_->now(), courier.cause,
                        Blame{SpentOn::link, courier.link, courier.latency_s});
  if (counts_)
    for (const LinkIndex link : courier.route) links_->end(link, courier.bytes, scheduler_->now());
  if (trace_ != nullptr)
    trace_->message({.source = courier.source,
                     .destination = courier.destination,
                     .bytes = courier.bytes,
                     .sent_s = courier.sent_s,
                     .arrived_s = scheduler_->now(),
                     .iteration = courier.iteration,
                     .is_by_rendezvous = courier.message->is_by_rendezvous()});
  Transfer& message = *courier.message;
  couriers_.give_back(courier);
  message.arrived();
}

}  // namespace starling
