#include "algorithms/collectives/evaluation/shared/free_routes.hpp"

#include <cmath>

#include "sim/networks/small_message.hpp"

namespace starling {

FreeRoutes::FreeRoutes(const Routes& routes, const MessageCosts& costs, const SmallMessageRules& rules)
    : routes_(routes),
      costs_(costs),
      rules_(rules),
      protocols_(costs.protocols, routes, costs.are_rings_paced),
      uses_(routes.links().size()),
      last_small_(static_cast<std::size_t>(routes.workers())) {}

Hop FreeRoutes::hop(Rank source, Rank destination) const {
  const RouteSummary summary = routes_.summary(source, destination);
  return {.latency_s = summary.latency_s,
          .back_latency_s = routes_.summary(destination, source).latency_s,
          .s_per_byte = summary.s_per_byte(),
          .is_inside_host = routes_.host_of(source) == routes_.host_of(destination)};
}

Leg FreeRoutes::leg(double bytes, const Hop& hop, double eager_bytes) const {
  const auto [wire, paced_s, pacing_link] = this->wire(bytes, hop);
  Leg leg{.transmission_s = wire.bytes * hop.s_per_byte,
          .latency_s = hop.latency_s,
          .back_latency_s = hop.back_latency_s,
          .protocol_latency_s = wire.latency_s,
          .paced_s = paced_s,
          .pacing_link = pacing_link,
          .is_small = wire.bytes <= small_message_bytes,
          .is_rendezvous = bytes > eager_bytes};
  if (!std::isfinite(costs_.send_buffer_bytes)) {
    leg.completion = leg.is_rendezvous ? SendCompletion::at_arrival : SendCompletion::at_launch;
    return leg;
  }
  const bool has_room = wire.bytes <= costs_.send_buffer_bytes;
  const bool is_beside_others = leg.is_small && !rules_.keep_order;
  leg.buffered_s = costs_.send_buffer_bytes * hop.s_per_byte;
  leg.completion = SendCompletion::at_departure;
  if (has_room && leg.is_rendezvous) leg.completion = SendCompletion::at_start;
  if (has_room && !leg.is_rendezvous && is_beside_others) leg.completion = SendCompletion::at_launch;
  return leg;
}

/// In the event model (take_links), a message reaches each link later by the latencies of the links before
/// it.
bool FreeRoutes::take(std::span<const LinkIndex> route, Rank source, Rank destination, double begin_s,
                      double end_s, bool may_end_sooner) {
  const std::uint64_t by = pair_of(source, destination);
  for (const LinkIndex link : route) {
    Use& use = uses_[static_cast<std::size_t>(link)];
    if (latest(begin_s) >= use.end_s)
      use = {by, begin_s, end_s, use.end_s, may_end_sooner};
    else if (end_s <= latest(use.begin_s) && latest(begin_s) >= use.before_s)
      use.before_s = end_s;
    else
      return false;
    if (!rules_.take_links) continue;
    begin_s += routes_.links()[static_cast<std::size_t>(link)].latency_s;
    end_s += routes_.links()[static_cast<std::size_t>(link)].latency_s;
  }
  return true;
}

}  // namespace starling
