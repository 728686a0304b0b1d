#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/collectives/evaluation/shared/hop.hpp"
#include "algorithms/collectives/evaluation/shared/leg.hpp"
#include "algorithms/collectives/evaluation/shared/small_message_rules.hpp"
#include "base/numbers/pair_of.hpp"
#include "base/numbers/simultaneous.hpp"
#include "sim/messages/message_costs.hpp"
#include "sim/messages/protocol.hpp"
#include "sim/routes.hpp"

namespace starling {

/// Contention-free (uncontended) routes: what a message takes that has its route to itself, which `event` and
/// `fair` agree on; and until when each link is in use, to find out whether it has.
class FreeRoutes {
 public:
  /// `routes` must outlive this object.
  FreeRoutes(const Routes& routes, const MessageCosts& costs, const SmallMessageRules& rules);

  const Routes& routes() const { return routes_; }
  const MessageCosts& costs() const { return costs_; }
  const SmallMessageRules& rules() const { return rules_; }

  /// O(links of the routes there and back).
  Hop hop(Rank source, Rank destination) const;
  /// A message of so many bytes of data; O(protocols).
  Leg leg(double bytes, const Hop& hop) const { return leg(bytes, hop, costs_.eager_in_collectives_bytes()); }
  /// Of one that waits for its receiver if it has more than `eager_bytes`.
  Leg leg(double bytes, const Hop& hop, double eager_bytes) const;
  /// What it is on the wire.
  double wire_bytes(double bytes, const Hop& hop) const { return wire(bytes, hop).wire.bytes; }

  /// The data of a message whose sender may send it from `ready_s` on, behind what its connection sends until
  /// `free_s`. `launched_s`: when it was launched, which is earlier if it has waited for its receiver.
  Passage passage(const Leg& leg, double launched_s, double ready_s, double free_s) const {
    const double start_s = this->start_s(leg, ready_s, free_s);
    const double gone_s = start_s + leg.transmission_s;
    const double arrival_s = gone_s + leg.latency_s;
    return {start_s, gone_s, arrival_s, complete_s(leg, launched_s, start_s, arrival_s),
            passes(leg, ready_s, free_s)};
  }
  /// Whether it takes no turn on its links.
  bool passes(const Leg& leg, double ready_s, double free_s) const {
    return leg.is_small && !(rules_.keep_order && free_s > ready_s);
  }
  /// When its first byte leaves.
  double start_s(const Leg& leg, double ready_s, double free_s) const {
    return passes(leg, ready_s, free_s) ? ready_s : std::max(ready_s, free_s);
  }
  /// When its send is complete, if its first byte leaves and its last one arrives then.
  static double complete_s(const Leg& leg, double launched_s, double start_s, double arrival_s) {
    switch (leg.completion) {
      case SendCompletion::at_launch:
        return launched_s;
      case SendCompletion::at_start:
        return start_s;
      case SendCompletion::at_departure:
        return std::max(launched_s, start_s + leg.transmission_s - leg.buffered_s);
      case SendCompletion::at_arrival:
        return arrival_s;
    }
    return arrival_s;
  }
  /// When a receiver whose message processor is free from `launch_s` on has received.
  double received_s(const Leg& leg, double launch_s, double arrival_s) const {
    return std::max(arrival_s + leg.protocol_latency_s + leg.paced_s, launch_s) + costs_.overhead_s;
  }
  /// When a request or an answer that is launched then arrives.
  double control_arrival_s(double launch_s, double latency_s, double free_s) const {
    return (rules_.keep_order ? std::max(launch_s, free_s) : launch_s) + latency_s;
  }

  /// Until when a connection uses the links of its route; long ago if others have used them since.
  double free_s(std::span<const LinkIndex> route, Rank source, Rank destination) const {
    const Use& use = uses_[static_cast<std::size_t>(route.front())];
    return use.connection == pair_of(source, destination) ? use.end_s : never_s;
  }
  /// Whether free_s() says when what is ready then may begin: that its connection sends no longer than until
  /// a moment after that may be all that is known.
  bool knows_start(std::span<const LinkIndex> route, Rank source, Rank destination, double ready_s) const {
    const Use& use = uses_[static_cast<std::size_t>(route.front())];
    return !use.may_end_sooner || ready_s >= use.end_s || use.connection != pair_of(source, destination);
  }
  /// A connection uses all links of its route at that time, or less long. False if another one does, too, or
  /// may do: then they share.
  bool take(std::span<const LinkIndex> route, Rank source, Rank destination, double begin_s, double end_s,
            bool may_end_sooner = false);

  /// A rank has sent a small message that leaves by then. False if it overtakes one that it sent before to
  /// another rank: whether it may depends on where both go.
  bool note_small(Rank source, Rank destination, double gone_s) {
    SmallMessage& last = last_small_[static_cast<std::size_t>(source)];
    const bool is_in_order = rules_.take_links || gone_s >= last.gone_s;
    last = {destination, gone_s};
    return is_in_order;
  }
  /// When the last small message of a rank with data has left, if it went there. Empty if it went elsewhere
  /// and still leaves at that moment.
  std::optional<double> small_gone_s(Rank source, Rank destination, double now_s) const {
    const SmallMessage& last = last_small_[static_cast<std::size_t>(source)];
    if (last.destination == destination) return last.gone_s;
    if (last.gone_s <= now_s) return never_s;
    return std::nullopt;
  }
  /// Whether a request or an answer that leaves then is behind them.
  bool is_behind_small(Rank source, double launch_s) const {
    return rules_.take_links || last_small_[static_cast<std::size_t>(source)].gone_s <= launch_s;
  }

  static constexpr double never_s = -std::numeric_limits<double>::infinity();

 private:
  struct Use {
    std::uint64_t connection = ~std::uint64_t{0};
    double begin_s = never_s;
    double end_s = never_s;
    double before_s = never_s;  // from when on nobody has used it before
    bool may_end_sooner = false;
  };

  struct SmallMessage {
    Rank destination = -1;
    double gone_s = never_s;
  };

  ProtocolChoice::PacedWire wire(double bytes, const Hop& hop) const {
    if (hop.is_of_ring) return protocols_.wire_in_ring(bytes, hop.is_inside_host);
    return {.wire = protocols_.wire(bytes, hop.is_inside_host)};
  }
  /// As in FairNetwork.
  static double latest(double time_s) { return time_s * (1 + share_of_present); }

  const Routes& routes_;
  MessageCosts costs_;
  SmallMessageRules rules_;
  ProtocolChoice protocols_;
  std::vector<Use> uses_;                 // per link
  std::vector<SmallMessage> last_small_;  // per source
};

}  // namespace starling
