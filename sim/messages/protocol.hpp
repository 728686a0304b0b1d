#pragma once

#include <string>
#include <vector>

#include "base/options/option_visitor.hpp"
#include "sim/routes.hpp"

namespace starling {

/// A protocol that writes messages to the wire, as NCCL's LL, LL128 and Simple: the lower its latency, the
/// smaller the share of data in what it sends.
struct Protocol {
  std::string name;
  /// The share of data in what is sent to another host: m bytes take the time of m/efficiency bytes.
  double efficiency = 1;
  /// The same inside a host.
  double intra_host_efficiency = 1;
  /// The latency that it adds to a message to another host, and to one inside a host.
  double latency_s = 0;
  double intra_host_latency_s = 0;

  bool operator==(const Protocol&) const = default;
};

void describe(Protocol& protocol, OptionVisitor& visitor);

/// Selects the protocol that carries a message: the one that would finish first on an otherwise idle
/// network, on the slowest link of the message's kind (between hosts or inside them). Without protocols,
/// messages are sent as they are.
///
/// Rings of all workers may be paced: one protocol carries all their messages, and all hops take as long per
/// byte as the slowest one. A message then waits at its destination until it is readable; during this time
/// its links are free.
class ProtocolChoice {
 public:
  /// The bytes that the network carries for a message, and the latency added to that of its route.
  struct Wire {
    double bytes = 0;
    double latency_s = 0;
  };

  /// The same in a ring of all workers. After the latency of its wire, the message is readable only paced_s
  /// later, a time proportional to its bytes, because of `pacing_link`.
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

  /// True if rings of all workers are paced.
  bool are_rings_paced() const { return !of_rings_.empty(); }
  /// The greatest latency that any of the protocols adds.
  double greatest_latency_s(bool is_inside_host) const;
  /// The greatest share of data of any protocol; 1 without protocols.
  double greatest_efficiency(bool is_inside_host) const;

 private:
  struct Candidate {
    double latency_s;
    double s_per_byte;      // per byte of data, on the narrowest route
    double bytes_per_byte;  // bytes sent per byte of data
    Wire wire(double bytes) const { return {.bytes = bytes * bytes_per_byte, .latency_s = latency_s}; }
  };
  using Candidates = std::vector<Candidate>;
  /// A protocol on the hops of a ring.
  struct OfRing {
    Candidate between_hosts;
    Candidate inside_hosts;
    double latency_s;   // the mean of its hops
    double s_per_byte;  // of the slowest hop,
    LinkIndex slowest;  // and the narrowest link of that hop
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
  std::vector<OfRing> of_rings_;  // empty if rings are not paced
};

}  // namespace starling
