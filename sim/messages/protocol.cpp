#include "sim/messages/protocol.hpp"

#include <algorithm>
#include <limits>

namespace starling {
namespace {

/// The least bandwidth of links that lead to no worker of the same host, and of those that do.
struct LeastBandwidths {
  double between_hosts_Bps = std::numeric_limits<double>::infinity();
  double inside_hosts_Bps = std::numeric_limits<double>::infinity();
};

/// Looks at the routes from rank to next rank, and from each rank to the one before it on its host.
LeastBandwidths least_bandwidths(const Routes& routes) {
  LeastBandwidths least;
  const auto note = [&routes](Rank source, Rank destination, double& least_Bps) {
    least_Bps = std::min(least_Bps, routes.way(source, destination).least_bandwidth_Bps);
  };
  std::vector<Rank> last_on_host(static_cast<std::size_t>(routes.hosts()), -1);
  for (Rank rank = 0; rank < routes.workers(); ++rank) {
    Rank& last = last_on_host[static_cast<std::size_t>(routes.host_of(rank))];
    if (last >= 0) note(last, rank, least.inside_hosts_Bps);
    last = rank;
    const bool has_next = rank + 1 < routes.workers();
    if (has_next && routes.host_of(rank) != routes.host_of(rank + 1))
      note(rank, rank + 1, least.between_hosts_Bps);
  }
  return least;
}

}  // namespace

void describe(Protocol& protocol, OptionVisitor& visitor) {
  visitor.line({.key = "name", .meaning = "as results call it", .is_needed = true}, protocol.name);
  constexpr Range shares{.least = 1e-3, .greatest = 1};
  visitor.number({"efficiency", "the share of what it sends to another host that is data"},
                 protocol.efficiency, shares);
  protocol.intra_host_efficiency = protocol.efficiency;
  visitor.number({.key = "intra_host_efficiency",
                  .meaning = "the share of what it sends inside a host that is data",
                  .otherwise = "`efficiency`"},
                 protocol.intra_host_efficiency, shares);
  visitor.time({"latency", "what it adds to the latency of a message to another host"}, protocol.latency_s);
  visitor.time({"intra_host_latency", "what it adds to the latency of a message inside a host"},
               protocol.intra_host_latency_s);
}

ProtocolChoice::ProtocolChoice(const std::vector<Protocol>& protocols, const Routes& routes,
                               bool are_rings_paced)
    : are_rings_paced_(are_rings_paced) {
  if (protocols.empty()) return;
  const LeastBandwidths least = least_bandwidths(routes);
  for (const Protocol& protocol : protocols) {
    const auto candidate = [](double latency_s, double efficiency, double least_Bps) {
      return Candidate{latency_s, 1 / (efficiency * least_Bps), 1 / efficiency};
    };
    between_hosts_.push_back(candidate(protocol.latency_s, protocol.efficiency, least.between_hosts_Bps));
    inside_hosts_.push_back(
        candidate(protocol.intra_host_latency_s, protocol.intra_host_efficiency, least.inside_hosts_Bps));
  }
}

const ProtocolChoice::Candidate& ProtocolChoice::quickest(double bytes, bool is_inside_host) const {
  return *std::ranges::min_element(candidates(is_inside_host), {}, [bytes](const Candidate& candidate) {
    return candidate.latency_s + bytes * candidate.s_per_byte;
  });
}

bool ProtocolChoice::is_same(double least_bytes, double most_bytes, bool is_inside_host) const {
  return is_empty() || &quickest(least_bytes, is_inside_host) == &quickest(most_bytes, is_inside_host);
}

double ProtocolChoice::greatest_latency_s(bool is_inside_host) const {
  double greatest_s = 0;
  for (const Candidate& candidate : candidates(is_inside_host))
    greatest_s = std::max(greatest_s, candidate.latency_s);
  return greatest_s;
}

}  // namespace starling
