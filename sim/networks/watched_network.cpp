#include "sim/networks/watched_network.hpp"

#include <algorithm>

namespace starling {

WatchedNetwork::WatchedNetwork(NetworkModel& model, const Routes& routes, LinkWatch* links, TraceSink* trace,
                               Causes* causes)
    : model_(model),
      routes_(routes),
      links_(links),
      trace_(trace),
      causes_(causes),
      tells_(links != nullptr && model.tell(*links)) {}

void WatchedNetwork::attach(Scheduler& scheduler) {
  scheduler_ = &scheduler;
  if (causes_ != nullptr) scheduler.tell(*causes_);
  workers_.assign(static_cast<std::size_t>(routes_.workers()), {});
  couriers_ = {};
  model_.attach(scheduler);
}

void WatchedNetwork::note(Rank rank, Activity activity) {
  workers_[static_cast<std::size_t>(rank)].activity = activity;
}

void WatchedNetwork::note_iteration(Rank rank, std::int64_t iteration) {
  workers_[static_cast<std::size_t>(rank)].iteration = iteration;
}

WatchedNetwork::Courier& WatchedNetwork::courier_of(Transfer& transfer) {
  Courier& courier = couriers_.take();
  OfWorker& sender = workers_[static_cast<std::size_t>(transfer.source)];
  courier.network = this;
  courier.message = &transfer;
  if (sender.destination != transfer.destination) go_to(sender, transfer);
  courier.route = sender.route;
  courier.sent_s = scheduler_->now();
  courier.iteration = sender.iteration;
  courier.source = transfer.source;
  courier.destination = transfer.destination;
  courier.bytes = transfer.bytes;
  courier.buffered_bytes = transfer.buffered_bytes;
  if (links_ != nullptr) links_->begin(courier.route, transfer.bytes, sender.activity);
  if (causes_ != nullptr) send(courier, sender);
  return courier;
}

void WatchedNetwork::go_to(OfWorker& sender, const Transfer& transfer) const {
  const auto link = [this](LinkIndex index) -> const Link& {
    return routes_.links()[static_cast<std::size_t>(index)];
  };
  sender.destination = transfer.destination;
  sender.route = routes_.route(transfer.source, transfer.destination);
  if (causes_ == nullptr) return;
  sender.slowest =
      std::ranges::min(sender.route, {}, [&](LinkIndex index) { return link(index).bandwidth_Bps; });
  sender.latency_s = 0;
  for (const LinkIndex index : sender.route) sender.latency_s += link(index).latency_s;
}

void WatchedNetwork::send(Courier& courier, const OfWorker& sender) {
  courier.waited_for(causes_->current(courier.sent_s), courier.sent_s);
  courier.link = sender.slowest;
  courier.latency_s = sender.latency_s;
}

void WatchedNetwork::leave(Courier& courier) {
  if (causes_ != nullptr)
    causes_->set_current(
        causes_->add(scheduler_->now(), courier.cause_of_leaving, {SpentOn::link, courier.route.front()}));
  courier.message->left();
}

void WatchedNetwork::arrive(Courier& courier) {
  if (causes_ != nullptr)
    causes_->set_current(
        causes_->add(scheduler_->now(), courier.cause, {SpentOn::link, courier.link, courier.latency_s}));
  if (links_ != nullptr) links_->end(courier.route, courier.bytes);
  if (trace_ != nullptr)
    trace_->message({.source = courier.source,
                     .destination = courier.destination,
                     .bytes = courier.bytes,
                     .sent_s = courier.sent_s,
                     .arrived_s = scheduler_->now(),
                     .iteration = courier.iteration});
  Transfer& message = *courier.message;
  couriers_.give_back(courier);
  message.arrived();
}

}  // namespace starling
