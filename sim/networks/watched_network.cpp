#include "sim/networks/watched_network.hpp"

namespace starling {

WatchedNetwork::WatchedNetwork(NetworkModel& model, const Routes& routes, LinkWatch* links, TraceSink* trace)
    : model_(model),
      routes_(routes),
      links_(links),
      trace_(trace),
      tells_(links != nullptr && model.tell(*links)) {}

void WatchedNetwork::attach(Scheduler& scheduler) {
  scheduler_ = &scheduler;
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

void WatchedNetwork::start(Transfer& transfer) {
  Courier& courier = couriers_.take();
  OfWorker& sender = workers_[static_cast<std::size_t>(transfer.source)];
  courier.network = this;
  courier.message = &transfer;
  if (sender.destination != transfer.destination) {
    sender.destination = transfer.destination;
    sender.route = routes_.route(transfer.source, transfer.destination);
  }
  courier.route = sender.route;
  courier.sent_s = scheduler_->now();
  courier.iteration = sender.iteration;
  courier.source = transfer.source;
  courier.destination = transfer.destination;
  courier.bytes = transfer.bytes;
  courier.buffered_bytes = transfer.buffered_bytes;
  if (links_ != nullptr) links_->begin(courier.route, transfer.bytes, sender.activity);
  model_.start(courier);
}

void WatchedNetwork::arrive(Courier& courier) {
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
