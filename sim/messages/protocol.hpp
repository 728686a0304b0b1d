#pragma once

#include <string>
#include <vector>

#include "base/options/option_visitor.hpp"
#include "sim/routes.hpp"

namespace starling {

/// A way of writing messages to the wire: the quicker it is to begin, the less of what it sends is data.
struct Protocol {
  std::string name;
  /// The share of what is sent to another host that is data: m bytes take what m/efficiency bytes take.
  double efficiency = 1;
  /// The share inside a host.
  double intra_host_efficiency = 1;
  /// What it adds to the latency of a message to another host, and of one inside a host.
  double latency_s = 0;
  double intra_host_latency_s = 0;

  bool operator==(const Protocol&) const = default;
};

void describe(Protocol& protocol, OptionVisitor& visitor);

/// Which of several protocols carries a message: the one that is done first where nothing else is sent, on
/// the slowest link of its kind, between hosts or inside them. Without protocols, messages are sent as they
/// are.
///
/// Rings of all workers may be paced: one protocol carries all their messages, and all hops take as long for
/// a byte as the slowest one. Their links are free while what has arrived waits to be readable.
class ProtocolChoice {
 public:
  /// What the network carries of a message, and what comes on top of its latency.
  struct Wire {
    double bytes = 0;
    double latency_s = 0;
  };

  /// What the network carries of a message in a ring of all workers, how much later the message is readable
  /// than after the latency of its wire, in proportion to its bytes, and the link that keeps it waiting.
  struct PacedWire {
    Wire wire;
    double paced_s = 0;
    LinkIndex pacing_link = 0;
  };

  /// `are_rings_paced` as in MessageCosts.
  ProtocolChoice(const std::vector<Protocol>& protocols, const Routes& routes, bool are_rings_paced);

  bool is_empty() const { return between_hosts_.empty(); }

  Wire wire(double bytes, bool is_inside_host) const {
    return is_empty() ? Wire{.bytes = bytes} : quickest(bytes, is_inside_host).wire(bytes);
  }
  PacedWire wire_in_ring(double bytes, bool is_inside_host) const {
    if (of_rings_.empty()) return {.wire = wire(bytes, is_inside_host)};
    const OfRing& protocol = quickest_in_ring(bytes);
    const Candidate& candidate = protocol.candidate(is_inside_host);
    return {.wire = candidate.wire(bytes),
            .paced_s = bytes * (protocol.s_per_byte - candidate.s_per_byte),
            .pacing_link = protocol.slowest};
  }

  /// Whether one protocol carries all messages of a ring of all workers, at one pace.
  bool are_rings_paced() const { return !of_rings_.empty(); }
  /// What a message of any size pays at most.
  double greatest_latency_s(bool is_inside_host) const;
  /// The greatest share of what a protocol sends that is data; 1 without protocols.
  double greatest_efficiency(bool is_inside_host) const;

 private:
  struct Candidate {
    double latency_s;
    double s_per_byte;      // at the bandwidth that decides
    double bytes_per_byte;  // sent for each byte of data
    Wire wire(double bytes) const { return {.bytes = bytes * bytes_per_byte, .latency_s = latency_s}; }
  };
  using Candidates = std::vector<Candidate>;
  /// A protocol on the hops of a ring.
  struct OfRing {
    Candidate between_hosts;
    Candidate inside_hosts;
    double latency_s;   // of its hops, the mean
    double s_per_byte;  // of the slowest,
    LinkIndex slowest;  // the first narrowest link of all of these
    const Candidate& candidate(bool is_inside_host) const {
      return is_inside_host ? inside_hosts : between_hosts;
    }
  };

  const Candidates& candidates(bool is_inside_host) const {
    return is_inside_host ? inside_hosts_ : between_hosts_;
  }
  const Candidate& quickest(double bytes, bool is_inside_host) const;
  const OfRing& quickest_in_ring(double bytes) const;

  Candidates between_hosts_;
  Candidates inside_hosts_;
  std::vector<OfRing> of_rings_;  // empty where these are not paced
};

}  // namespace starling
