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

/// Uncontended routes: the time of a message that has its route to itself, on which `event` and `fair` agree;
/// and until when each link is in use, which shows whether a message has its route to itself.
///
/// Times are in seconds. A connection is an ordered pair of workers.
class FreeRoutes {
 public:
  /// `routes` must outlive this object.
  FreeRoutes(const Routes& routes, const MessageCosts& costs, const SmallMessageRules& rules);

  const Routes& routes() const { return routes_; }
  const MessageCosts& costs() const { return costs_; }
  const SmallMessageRules& rules() const { return rules_; }

  /// The hop between two workers. O(links of the routes there and back).
  Hop hop(Rank source, Rank destination) const;
  /// A message of a collective with `bytes` bytes of data. O(protocols).
  Leg leg(double bytes, const Hop& hop) const { return leg(bytes, hop, costs_.eager_in_collectives_bytes()); }
  /// A message that is sent by rendezvous if it has more than `eager_bytes`.
  Leg leg(double bytes, const Hop& hop, double eager_bytes) const;
  /// The bytes that the network carries for `bytes` bytes of data.
  double wire_bytes(double bytes, const Hop& hop) const { return wire(bytes, hop).wire.bytes; }

  /// The transfer of a message whose data may flow from `ready_s` on, and whose connection is busy with
  /// earlier messages until `free_s`. `launched_s` is when the send was launched: earlier than `ready_s`
  /// under rendezvous.
  Passage passage(const Leg& leg, double launched_s, double ready_s, double free_s) const {
    const double start_s = this->start_s(leg, ready_s, free_s);
    const double gone_s = start_s + leg.transmission_s;
    const double arrival_s = gone_s + leg.latency_s;
    return {start_s, gone_s, arrival_s, complete_s(leg, launched_s, start_s, arrival_s),
            passes(leg, ready_s, free_s)};
  }
  /// Whether the message is small and does not queue for its links.
  bool passes(const Leg& leg, double ready_s, double free_s) const {
    return leg.is_small && !(rules_.keep_order && free_s > ready_s);
  }
  /// When the first byte of the message leaves.
  double start_s(const Leg& leg, double ready_s, double free_s) const {
    return passes(leg, ready_s, free_s) ? ready_s : std::max(ready_s, free_s);
  }
  /// When the send is complete, given when its first byte leaves and its last byte arrives.
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
  /// When the receiver has processed the message, if its message processor is free from `launch_s` on.
  double received_s(const Leg& leg, double launch_s, double arrival_s) const {
    return std::max(arrival_s + leg.protocol_latency_s + leg.paced_s, launch_s) + costs_.overhead_s;
  }
  /// When a rendezvous request or answer that is launched at `launch_s` arrives.
  double control_arrival_s(double launch_s, double latency_s, double free_s) const {
    return (rules_.keep_order ? std::max(launch_s, free_s) : launch_s) + latency_s;
  }

  /// Until when a connection uses the links of its route; never_s if another connection has used them since.
  double free_s(std::span<const LinkIndex> route, Rank source, Rank destination) const {
    const Use& use = uses_[static_cast<std::size_t>(route.front())];
    return use.connection == pair_of(source, destination) ? use.end_s : never_s;
  }
  /// Whether free_s() determines when a message that is ready at `ready_s` starts. It does not if the
  /// connection's use is known only by an upper bound (`may_end_sooner` of take()) later than `ready_s`.
  bool knows_start(std::span<const LinkIndex> route, Rank source, Rank destination, double ready_s) const {
    const Use& use = uses_[static_cast<std::size_t>(route.front())];
    return !use.may_end_sooner || ready_s >= use.end_s || use.connection != pair_of(source, destination);
  }
  /// Records that a connection uses all links of its route from `begin_s` to `end_s`, or, with
  /// `may_end_sooner`, at most until `end_s`. Returns false if another connection uses one of them at the
  /// same time, or may do so: the two would share it.
  bool take(std::span<const LinkIndex> route, Rank source, Rank destination, double begin_s, double end_s,
            bool may_end_sooner = false);

  /// Records that a rank has sent a small message whose last byte leaves at `gone_s`. Returns false if it
  /// overtakes an earlier small message of the rank: whether it does depends on both destinations.
  bool note_small(Rank source, Rank destination, double gone_s) {
    SmallMessage& last = last_small_[static_cast<std::size_t>(source)];
    const bool is_in_order = rules_.take_links || gone_s >= last.gone_s;
    last = {destination, gone_s};
    return is_in_order;
  }
  /// When the last small message of `source` has left, if it went to `destination`; never_s if it went
  /// elsewhere and has left by `now_s`; empty if it went elsewhere and is still leaving.
  std::optional<double> small_gone_s(Rank source, Rank destination, double now_s) const {
    const SmallMessage& last = last_small_[static_cast<std::size_t>(source)];
    if (last.destination == destination) return last.gone_s;
    if (last.gone_s <= now_s) return never_s;
    return std::nullopt;
  }
  /// Whether all small messages of `source` have left before a request or answer that is launched at
  /// `launch_s`.
  bool is_behind_small(Rank source, double launch_s) const {
    return rules_.take_links || last_small_[static_cast<std::size_t>(source)].gone_s <= launch_s;
  }

  static constexpr double never_s = -std::numeric_limits<double>::infinity();

 private:
  /// The last use of a link.
  struct Use {
    std::uint64_t connection = ~std::uint64_t{0};
    double begin_s = never_s;
    double end_s = never_s;
    double before_s = never_s;  // the link was free from here to begin_s
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
  /// The latest moment that counts as the same as `time_s`, as in FairNetwork.
  static double latest(double time_s) { return time_s * (1 + share_of_present); }

  const Routes& routes_;
  MessageCosts costs_;
  SmallMessageRules rules_;
  ProtocolChoice protocols_;
  std::vector<Use> uses_;                 // per link
  std::vector<SmallMessage> last_small_;  // per source
};

}  // namespace starling
