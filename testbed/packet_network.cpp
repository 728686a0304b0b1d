#include "testbed/packet_network.hpp"

#include <algorithm>
#include <utility>

#include "sim/errors.hpp"

namespace starling {

/// A frame on its way: what happens to it next is that it is ready at link `hop` of its route, or there.
class PacketNetwork::Flight final : public TimedAction {
 public:
  explicit Flight(PacketNetwork& network) : network_(network) {}
  void happen() override { network_.arrive(*this); }

  Frame frame;
  std::span<const LinkIndex> route;
  std::size_t hop = 0;
  double head_s = 0;  // when its first bit is at link `hop`
  double tail_s = 0;  // and when its last one is

 private:
  PacketNetwork& network_;
};

PacketNetwork::PacketNetwork(const HostRoutes& routes, const PacketNetworkOptions& options, Deliver deliver)
    : routes_(routes), options_(options), deliver_(std::move(deliver)), counters_(routes.links().size()) {
  for (const Link& link : routes.links())
    links_.push_back({.s_per_byte = 1 / link.bandwidth_Bps, .latency_s = link.latency_s});
}

PacketNetwork::~PacketNetwork() = default;

Frame& PacketNetwork::spare_frame() {
  if (spare_.empty()) spare_.push_back(flights_.emplace_back(std::make_unique<Flight>(*this)).get());
  return spare_.back()->frame;
}

void PacketNetwork::send_spare(double now_s) {
  STARLING_INVARIANT(!spare_.empty() && spare_.back()->frame.wire_bytes > 0);
  Flight& flight = *spare_.back();
  spare_.pop_back();
  flight.route = routes_.route(flight.frame.source_host, flight.frame.destination_host);
  flight.hop = 0;
  flight.head_s = flight.tail_s = now_s;
  agenda_.put(now_s, flight);
  advance(now_s);
}

void PacketNetwork::advance(double now_s) {
  while (!agenda_.is_empty() && agenda_.next_time_s() <= now_s) agenda_.take().happen();
}

std::optional<double> PacketNetwork::next_time_s() const {
  if (agenda_.is_empty()) return std::nullopt;
  return agenda_.next_time_s();
}

void PacketNetwork::arrive(Flight& flight) {
  if (flight.hop < flight.route.size()) return pass_link(flight, flight.route[flight.hop]);
  deliver_(flight.tail_s, flight.frame);
  recycle(flight);
}

void PacketNetwork::pass_link(Flight& flight, LinkIndex index) {
  LinkState& link = links_[static_cast<std::size_t>(index)];
  LinkCounters& counters = counters_[static_cast<std::size_t>(index)];
  const std::int64_t bytes = flight.frame.wire_bytes;
  const double ready_s = agenda_.last_time_s();
  const double start_s = std::max(ready_s, link.free_at_s);

  const auto queued = static_cast<std::int64_t>((start_s - ready_s) / link.s_per_byte) + bytes;
  if (queued > options_.queue_bytes) {
    ++counters.dropped_frames;
    return recycle(flight);
  }
  ++counters.frames;
  counters.bytes += bytes;
  counters.longest_queue_bytes = std::max(counters.longest_queue_bytes, queued);

  link.free_at_s = start_s + static_cast<double>(bytes) * link.s_per_byte;
  flight.head_s = start_s + packet_s(flight, link) + link.latency_s;
  flight.tail_s = link.free_at_s + link.latency_s;
  ++flight.hop;
  schedule(flight);
}

void PacketNetwork::schedule(Flight& flight) {
  if (flight.hop == flight.route.size()) return agenda_.put(flight.tail_s, flight);
  const LinkState& next = links_[static_cast<std::size_t>(flight.route[flight.hop])];
  const double all_s = static_cast<double>(flight.frame.wire_bytes) * next.s_per_byte;
  agenda_.put(std::max(flight.head_s, flight.tail_s - all_s + packet_s(flight, next)), flight);
}

/// What passes of a frame before a switch can begin with it.
double PacketNetwork::packet_s(const Flight& flight, const LinkState& link) const {
  if (options_.switching == Switching::cut_through) return 0;
  return static_cast<double>(std::min(flight.frame.wire_bytes, options_.largest_packet_bytes)) *
         link.s_per_byte;
}

void PacketNetwork::recycle(Flight& flight) { spare_.push_back(&flight); }

}  // namespace starling
