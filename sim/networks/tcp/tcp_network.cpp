#include "sim/networks/tcp/tcp_network.hpp"

#include <algorithm>
#include <utility>

#include "base/errors.hpp"
#include "base/numbers/pair_of.hpp"

namespace starling {
namespace {

constexpr std::size_t least_connections = 1024;

}  // namespace

TcpNetwork::TcpNetwork(const Routes& routes, const TcpOptions& options) : routes_(routes), options_(options) {
  STARLING_INVARIANT(options.window_bytes > 0 && options.frame_bytes > 0 &&
                     options.acknowledgment_bytes >= 0 && options.frames_at_first_link > 0);
  for (const Link& link : routes.links())
    links_.push_back({.s_per_byte = 1 / link.bandwidth_Bps, .latency_s = link.latency_s});
}

void TcpNetwork::attach(Scheduler& scheduler) {
  scheduler_ = &scheduler;
  connections_.clear();
  most_connections_ = least_connections;
  frames_ = {};
  for (ServedLink& link : links_) link.work_s = 0;
}

TcpNetwork::Connection& TcpNetwork::connection(Rank source, Rank destination) {
  const std::uint64_t key = pair_of(source, destination);
  if (connections_.size() >= most_connections_ && !connections_.contains(key)) forget_idle_connections();
  const auto [entry, is_new] = connections_.try_emplace(key);
  Connection& connection = entry->second;
  if (is_new) {
    connection.network = this;
    connection.route = routes_.route(source, destination);
    connection.way_back = routes_.route(destination, source);
    connection.is_within_host = routes_.host_of(source) == routes_.host_of(destination);
  }
  return connection;
}

/// Visits all connections; amortized, one visit per connection made.
void TcpNetwork::forget_idle_connections() {
  std::erase_if(connections_, [](const auto& entry) { return entry.second.is_idle(); });
  most_connections_ = std::max(least_connections, 2 * connections_.size());
}

void TcpNetwork::start(Transfer& transfer) {
  Connection& stream = connection(transfer.source, transfer.destination);
  stream.unsent.push_back({&transfer, transfer.bytes, options_.frame_bytes_of(transfer.bytes)});
  stream.sent_bytes += transfer.bytes;
  const double unbuffered_bytes = stream.sent_bytes - transfer.buffered_bytes;  // of all messages so far
  const bool is_buffered = unbuffered_bytes <= stream.acknowledged_bytes;
  if (!is_buffered) stream.unbuffered.push_back({&transfer, unbuffered_bytes});
  send(stream);
  if (is_buffered && std::isfinite(transfer.buffered_bytes)) transfer.left();
}

void TcpNetwork::Connection::happen() {
  is_waiting_for_departure = false;
  network->send(*this);
}

/// Whether the connection may send a frame now. If not, the event that permits it calls send() again.
bool TcpNetwork::may_send(Connection& connection, double bytes) {
  if (connection.is_within_host) return true;
  const double under_way = connection.unacknowledged_bytes;
  if (under_way > 0 && under_way + bytes > options_.window_bytes) return false;
  std::deque<Departure>& departures = connection.departures;
  while (!departures.empty() && departures.front().time_s <= scheduler_->now()) {
    connection.queued_bytes -= departures.front().bytes;
    departures.pop_front();
  }
  if (departures.empty()) connection.queued_bytes = 0;  // removes rounding errors
  const double most_bytes = options_.bytes_at_first_link();
  if (departures.empty() || connection.queued_bytes + bytes <= most_bytes) return true;
  if (!std::exchange(connection.is_waiting_for_departure, true))
    scheduler_->at(departures.front().time_s, connection);
  return false;
}

void TcpNetwork::send(Connection& connection) {
  while (!connection.unsent.empty()) {
    Unsent& next = connection.unsent.front();
    const double bytes = connection.is_within_host ? next.bytes : std::min(next.bytes, next.frame_bytes);
    if (!may_send(connection, bytes)) return;

    Frame& frame = frames_.take();
    frame.connection = &connection;
    ++connection.frames_under_way;
    frame.is_acknowledgment = false;
    frame.data_bytes = frame.wire_bytes = bytes;
    frame.rest_of_route = connection.route;
    frame.slowest_s_per_byte = 0;
    next.bytes -= bytes;
    frame.completes = next.bytes > 0 ? nullptr : next.transfer;
    if (frame.completes) connection.unsent.pop_front();
    const double departure_s = pass_link(frame);
    if (connection.is_within_host) continue;
    connection.unacknowledged_bytes += bytes;
    connection.departures.push_back({departure_s, bytes});
    connection.queued_bytes += bytes;
  }
}

double TcpNetwork::pass_link(Frame& frame) {
  const LinkIndex index = frame.rest_of_route.front();
  ServedLink& link = links_[static_cast<std::size_t>(index)];
  frame.rest_of_route = frame.rest_of_route.subspan(1);
  const double head_s = scheduler_->now();
  frame.slowest_s_per_byte = std::max(frame.slowest_s_per_byte, link.s_per_byte);
  const double transmission_s = frame.wire_bytes * frame.slowest_s_per_byte;
  const double wait_s = link.serve(head_s, frame.wire_bytes, transmission_s);
  if (watch_ != nullptr) [[unlikely]]
    watch_->carry(index, frame.wire_bytes, link.work_s - frame.wire_bytes * link.s_per_byte, link.work_s);
  const double next_head_s = head_s + wait_s + link.latency_s;
  scheduler_->at(frame.rest_of_route.empty() ? next_head_s + transmission_s : next_head_s, frame);
  return link.work_s;
}

void TcpNetwork::advance(Frame& frame) {
  if (!frame.rest_of_route.empty())
    pass_link(frame);
  else if (frame.is_acknowledgment)
    acknowledge(frame);
  else
    arrive(frame);
}

void TcpNetwork::arrive(Frame& frame) {
  Transfer* const complete = frame.completes;
  std::deque<Unbuffered>& unbuffered = frame.connection->unbuffered;
  if (complete && !unbuffered.empty() && unbuffered.front().transfer == complete) unbuffered.pop_front();
  if (frame.connection->is_within_host) {
    frame.connection->acknowledged_bytes += frame.data_bytes;
    leave(*frame.connection);
    --frame.connection->frames_under_way;  // last: messages started by left() may forget idle connections
    frames_.give_back(frame);
  } else {
    frame.is_acknowledgment = true;
    frame.wire_bytes = options_.acknowledgment_bytes;
    frame.rest_of_route = frame.connection->way_back;
    frame.slowest_s_per_byte = 0;
    pass_link(frame);
  }
  if (complete) complete->arrived();
}

/// The acknowledged data make room in the window.
void TcpNetwork::acknowledge(Frame& frame) {
  Connection& connection = *frame.connection;
  connection.unacknowledged_bytes -= frame.data_bytes;
  if (connection.frames_under_way == 1) connection.unacknowledged_bytes = 0;  // removes rounding errors
  connection.acknowledged_bytes += frame.data_bytes;
  frames_.give_back(frame);
  send(connection);
  leave(connection);
  --connection.frames_under_way;  // last: messages started by left() may forget idle connections
}

/// Calls left() for the messages that the sender's buffer has taken completely.
void TcpNetwork::leave(Connection& connection) {
  std::deque<Unbuffered>& unbuffered = connection.unbuffered;
  while (!unbuffered.empty() && unbuffered.front().acknowledged_bytes <= connection.acknowledged_bytes) {
    Transfer& left = *unbuffered.front().transfer;
    unbuffered.pop_front();
    left.left();
  }
}

}  // namespace starling
