#include "testbed/network/packet_network.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/errors.hpp"

namespace starling {

/// A frame in flight. Its next event is that its head reaches link `hop` of its route, or, after the last
/// link, that its tail reaches the destination.
class PacketNetwork::Flight final : public TimedAction {
 public:
  explicit Flight(PacketNetwork& network) : network_(network) {}
  void happen() override { network_.arrive(*this); }

  Frame frame;
  std::span<const LinkIndex> route;
  std::size_t hop = 0;
  double s_per_byte = 0;  // of the slowest link passed so far

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
  flight.s_per_byte = 0;
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
  deliver_(agenda_.last_time_s(), flight.frame);
  recycle(flight);
}

void PacketNetwork::pass_link(Flight& flight, LinkIndex index) {
  ServedLink& link = links_[static_cast<std::size_t>(index)];
  LinkCounters& counters = counters_[static_cast<std::size_t>(index)];
  const std::int64_t bytes = flight.frame.wire_bytes;
  const double head_s = agenda_.last_time_s();
  const double unsent_s = std::max(link.work_s - head_s, 0.0);

  const auto queued = static_cast<std::int64_t>(std::llround(unsent_s / link.s_per_byte)) + bytes;
  if (queued > options_.queue_bytes) {
    ++counters.dropped_frames;
    return recycle(flight);
  }
  ++counters.frames;
  counters.bytes += bytes;
  counters.longest_queue_bytes = std::max(counters.longest_queue_bytes, queued);

  const auto all = static_cast<double>(bytes);
  const auto first = static_cast<double>(packet_bytes(flight.frame));
  flight.s_per_byte = std::max(flight.s_per_byte, link.s_per_byte);
  const double wait_s = link.serve(head_s, all, all * flight.s_per_byte);
  const double next_head_s = head_s + wait_s + first * link.s_per_byte + link.latency_s;
  const bool is_last = ++flight.hop == flight.route.size();
  agenda_.put(is_last ? next_head_s + (all - first) * flight.s_per_byte : next_head_s, flight);
}

/// The bytes of a frame that a switch waits for before it forwards the frame.
std::int64_t PacketNetwork::packet_bytes(const Frame& frame) const {
  if (options_.switching == Switching::cut_through) return 0;
  return std::min(frame.wire_bytes, options_.largest_packet_bytes);
}

void PacketNetwork::recycle(Flight& flight) { spare_.push_back(&flight); }

}  // namespace starling
