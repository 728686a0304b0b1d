#include "sim/networks/event/event_network.hpp"

#include <algorithm>
#include <optional>

#include "base/fetch.hpp"
#include "sim/networks/caused_transfer.hpp"

namespace starling {

EventNetwork::EventNetwork(const Routes& routes, double small_bytes)
    : routes_(routes), small_bytes_(small_bytes) {
  for (const Link& link : routes.links())
    links_.push_back({{.s_per_byte = 1 / link.bandwidth_Bps, .latency_s = link.latency_s}});
  find_decision_leads();
}

void EventNetwork::attach(Scheduler& scheduler) {
  scheduler_ = &scheduler;
  last_routes_.assign(static_cast<std::size_t>(routes_.workers()), {});
  for (LinkState& link : links_) link.work_s = 0;
  departures_ = {};
  busy_.assign(scheduler.causes() != nullptr ? links_.size() : 0, {});
}

void EventNetwork::start(Transfer& transfer) {
  LastRoute& last = last_routes_[static_cast<std::size_t>(transfer.source)];
  if (last.destination != transfer.destination) {
    const std::span<const LinkIndex> route = routes_.route(transfer.source, transfer.destination);
    last = {transfer.destination, static_cast<std::int32_t>(route.size()), route.data()};
  }
  const std::span<const LinkIndex> route(last.links, static_cast<std::size_t>(last.count));
  Flight& flight = make_state<Flight>(transfer, *this, transfer, route, scheduler_->now());
  const bool is_buffered = transfer.bytes <= transfer.buffered_bytes;
  if (!is_buffered) expect_departure(flight);
  pass_links(flight);
  if (is_buffered && std::isfinite(transfer.buffered_bytes)) transfer.left();
}

/// Schedules left(): a message that waits for its turn on the first link leaves after those before it.
void EventNetwork::expect_departure(Flight& flight) {
  const LinkState& first = links_[static_cast<std::size_t>(flight.link)];
  const double waits_until_s = flight.transfer.bytes > small_bytes_ ? first.work_s : 0.0;
  const double unbuffered_bytes = flight.transfer.bytes - flight.transfer.buffered_bytes;
  Departure& departure = departures_.take();
  departure.network = this;
  departure.flight = &flight;
  if (!busy_.empty() && waits_until_s > flight.head_s)
    caused(flight.transfer).cause_of_leaving = end_of_work(flight.link);
  flight.departure = &departure;
  scheduler_->at(std::max(waits_until_s, flight.head_s) + unbuffered_bytes * first.s_per_byte, departure);
}

void EventNetwork::depart(Departure& departure) {
  Flight* const flight = departure.flight;
  departures_.give_back(departure);
  if (!flight) return;
  flight->departure = nullptr;
  flight->transfer.left();
}

void EventNetwork::go_on(Flight& flight) {
  if (flight.count_after >= 0)
    pass_links(flight);
  else
    arrive(flight);
}

void EventNetwork::prepare(const Flight& flight) const {
  if (flight.count_after < 0) return flight.transfer.prepare();
  fetch(&links_[static_cast<std::size_t>(flight.link)]);
  fetch(flight.hops_after);
}

/// Without latency, rounding may let a message arrive before its departure; the departure is then cancelled.
void EventNetwork::arrive(Flight& flight) {
  if (flight.departure) flight.departure->flight = nullptr;
  flight.transfer.arrived();
}

/// Decides the turn of the flight on its next link, and on the links after it as far as that is possible
/// now.
void EventNetwork::pass_links(Flight& flight) {
  while (true) {
    LinkState& link = links_[static_cast<std::size_t>(flight.link)];
    const double arrival_s = flight.head_s;
    flight.slowest_s_per_byte = std::max(flight.slowest_s_per_byte, link.s_per_byte);
    const double transmission_s = flight.transfer.bytes * flight.slowest_s_per_byte;
    const double work_before_s = link.work_s;
    const double turn_s = link.serve(arrival_s, flight.transfer.bytes, transmission_s);
    if (watch_ != nullptr) [[unlikely]]
      report_to(flight.link, flight.transfer.bytes);
    const double wait_s = flight.transfer.bytes > small_bytes_ ? turn_s : 0.0;
    if (!busy_.empty()) [[unlikely]]
      explain(flight, arrival_s, work_before_s, wait_s);
    flight.head_s = arrival_s + wait_s + link.latency_s;
    if (--flight.count_after < 0) {
      scheduler_->at(flight.head_s + transmission_s, flight);
      return;
    }
    flight.link = *flight.hops_after++;
    if (!decides_some_early_) return scheduler_->at(flight.head_s, flight);
    const LinkState& next = links_[static_cast<std::size_t>(flight.link)];
    if (wait_s > 0 || !next.is_decided_with_feeder()) {
      const double lead_s = std::max(0.0, next.decision_lead_s);
      scheduler_->at(std::max(scheduler_->now(), flight.head_s - lead_s), flight);
      return;
    }
  }
}

/// Reports to the watch that the link has just served `bytes`.
void EventNetwork::report_to(LinkIndex index, double bytes) {
  const LinkState& link = links_[static_cast<std::size_t>(index)];
  watch_->carry(index, bytes, link.work_s - bytes * link.s_per_byte, link.work_s);
}

/// The step that ends when the link has finished the work accepted so far.
CausalLog::Index EventNetwork::end_of_work(LinkIndex link) {
  Busy& busy = busy_[static_cast<std::size_t>(link)];
  if (busy.step == 0)
    busy.step = scheduler_->causes()->add(busy.end_s, busy.cause, {SpentOn::link, link, busy.latency_s});
  return busy.step;
}

/// Records causes for a flight that the link has just served, which reached it at arrival_s and proceeds
/// after wait_s. The cause of a flight that waited is the work before it; latencies count from then on.
void EventNetwork::explain(Flight& flight, double arrival_s, double work_before_s, double wait_s) {
  const LinkState& link = links_[static_cast<std::size_t>(flight.link)];
  CausedTransfer& transfer = caused(flight.transfer);
  Busy& busy = busy_[static_cast<std::size_t>(flight.link)];
  Busy after{.cause = transfer.cause, .end_s = link.work_s, .latency_s = arrival_s - transfer.cause_s};
  if (work_before_s > arrival_s) after = {.cause = end_of_work(flight.link), .end_s = link.work_s};
  if (wait_s > 0) {
    const double goes_on_s = arrival_s + wait_s;
    transfer.cause = scheduler_->causes()->add(goes_on_s, after.cause, {SpentOn::link, flight.link});
    transfer.cause_s = goes_on_s;
  }
  busy = after;
  if (links_[static_cast<std::size_t>(transfer.link)].s_per_byte < flight.slowest_s_per_byte)
    transfer.link = flight.link;
  transfer.latency_s = arrival_s + wait_s + link.latency_s - transfer.cause_s;
}

namespace {

/// How long before they enter a vertex the turns of messages were decided: all equally long (uniform) or
/// not.
struct Inflow {
  int undecided = 0;  // links into the vertex whose own lead is not known yet
  std::optional<double> lead_s;
  bool is_uniform = true;

  void add(double link_lead_s) {
    is_uniform = is_uniform && (!lead_s || *lead_s == link_lead_s);
    lead_s = link_lead_s;
  }
};

}  // namespace

/// Finds the links whose turns can be decided early. Where all messages reach a vertex equally long after
/// their turn on the previous link was decided, their order at the vertex is known at that decision, so the
/// links that leave the vertex are decided together with those that feed it. Works from the entry links
/// inward. A cycle is cut by deciding anew at one of its vertices, which is always right and costs one more
/// event per message.
void EventNetwork::find_decision_leads() {
  const std::span<const Link> links = routes_.links();
  std::int32_t vertices = 0;
  for (const Link& link : links) vertices = std::max({vertices, link.from_vertex + 1, link.to_vertex + 1});
  std::vector<Inflow> inflows(static_cast<std::size_t>(vertices));
  std::vector<std::vector<std::size_t>> outgoing(inflows.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    outgoing[static_cast<std::size_t>(links[i].from_vertex)].push_back(i);
    ++inflows[static_cast<std::size_t>(links[i].to_vertex)].undecided;
  }

  std::vector<std::size_t> ready;  // vertices
  std::vector<bool> is_done(inflows.size(), false);
  const auto decide = [&](std::size_t vertex) {
    if (is_done[vertex]) return;
    is_done[vertex] = true;
    const Inflow& inflow = inflows[vertex];
    const bool is_uniform = inflow.undecided == 0 && inflow.is_uniform && inflow.lead_s;
    for (const std::size_t i : outgoing[vertex]) {
      if (is_uniform && !links[i].is_entry) {
        links_[i].decision_lead_s = *inflow.lead_s;
        decides_some_early_ = true;
      }
      Inflow& next = inflows[static_cast<std::size_t>(links[i].to_vertex)];
      next.add(std::max(0.0, links_[i].decision_lead_s) + links_[i].latency_s);
      if (--next.undecided == 0) ready.push_back(static_cast<std::size_t>(links[i].to_vertex));
    }
  };
  for (const Link& link : links)
    if (link.is_entry) decide(static_cast<std::size_t>(link.from_vertex));
  for (std::size_t vertex = 0; vertex < inflows.size(); ++vertex) {
    while (!ready.empty()) {
      const std::size_t next = ready.back();
      ready.pop_back();
      decide(next);
    }
    decide(vertex);
  }
}

}  // namespace starling
