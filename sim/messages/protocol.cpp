#include "sim/messages/protocol.hpp"

#include <algorithm>
#include <limits>

namespace starling {
namespace {

Rank next_in_ring(Rank rank, const Routes& routes) { return rank + 1 < routes.workers() ? rank + 1 : 0; }

/// The narrowest routes: between workers of different hosts, and between workers of one host.
struct NarrowestRoutes {
  RouteSummary between_hosts;
  RouteSummary inside_hosts;
};

/// Considers the hops of a ring between hosts, from each rank to the next, and the routes to each rank from
/// the previous rank of the same host.
NarrowestRoutes narrowest_routes(const Routes& routes) {
  NarrowestRoutes narrowest;
  const auto note = [&routes](Rank source, Rank destination, RouteSummary& so_far) {
    const RouteSummary summary = routes.summary(source, destination);
    if (summary.least_bandwidth_Bps < so_far.least_bandwidth_Bps) so_far = summary;
  };
  std::vector<Rank> last_on_host(static_cast<std::size_t>(routes.hosts()), -1);
  for (Rank rank = 0; rank < routes.workers(); ++rank) {
    Rank& last = last_on_host[static_cast<std::size_t>(routes.host_of(rank))];
    if (last >= 0) note(last, rank, narrowest.inside_hosts);
    last = rank;
    const Rank right = next_in_ring(rank, routes);
    if (routes.host_of(rank) != routes.host_of(right)) note(rank, right, narrowest.between_hosts);
  }
  return narrowest;
}

/// The share of the hops of a ring, from each rank to the next, that stay inside a host.
double share_inside_hosts(const Routes& routes) {
  int inside = 0;
  for (Rank rank = 0; rank < routes.workers(); ++rank)
    inside += routes.host_of(rank) == routes.host_of(next_in_ring(rank, routes)) ? 1 : 0;
  return static_cast<double>(inside) / routes.workers();
}

}  // namespace

void describe(Protocol& protocol, OptionVisitor& visitor) {
  visitor.line({.key = "name", .meaning = "name in results", .is_needed = true}, protocol.name);
  constexpr Range shares{.least = 1e-3, .greatest = 1};
  visitor.number({"efficiency", "share of data in the bytes that it sends to another host"},
                 protocol.efficiency, shares);
  protocol.intra_host_efficiency = protocol.efficiency;
  visitor.number({.key = "intra_host_efficiency",
                  .meaning = "share of data in the bytes that it sends inside a host",
                  .otherwise = "`efficiency`"},
                 protocol.intra_host_efficiency, shares);
  visitor.time({"latency", "time added to the latency of each message to another host"}, protocol.latency_s);
  visitor.time({"intra_host_latency", "time added to the latency of each message inside a host"},
               protocol.intra_host_latency_s);
}

ProtocolChoice::ProtocolChoice(const std::vector<Protocol>& protocols, const Routes& routes,
                               bool are_rings_paced) {
  if (protocols.empty()) return;
  const NarrowestRoutes narrowest = narrowest_routes(routes);
  for (const Protocol& protocol : protocols) {
    const auto candidate = [](double latency_s, double efficiency, const RouteSummary& summary) {
      return Candidate{latency_s, 1 / (efficiency * summary.least_bandwidth_Bps), 1 / efficiency};
    };
    between_hosts_.push_back(candidate(protocol.latency_s, protocol.efficiency, narrowest.between_hosts));
    inside_hosts_.push_back(
        candidate(protocol.intra_host_latency_s, protocol.intra_host_efficiency, narrowest.inside_hosts));
  }
  const double inside = share_inside_hosts(routes);
  if (!are_rings_paced || inside == 0 || inside == 1) return;
  for (std::size_t i = 0; i < protocols.size(); ++i) {
    const Candidate& between = between_hosts_[i];
    const Candidate& within = inside_hosts_[i];
    const bool is_slowest_between = between.s_per_byte >= within.s_per_byte;
    of_rings_.push_back(
        {.between_hosts = between,
         .inside_hosts = within,
         .latency_s = (1 - inside) * between.latency_s + inside * within.latency_s,
         .s_per_byte = std::max(between.s_per_byte, within.s_per_byte),
         .slowest = (is_slowest_between ? narrowest.between_hosts : narrowest.inside_hosts).slowest});
  }
}

const ProtocolChoice::OfRing& ProtocolChoice::quickest_in_ring(double bytes) const {
  return *std::ranges::min_element(of_rings_, {}, [bytes](const OfRing& protocol) {
    return protocol.latency_s + bytes * protocol.s_per_byte;
  });
}

const ProtocolChoice::Candidate& ProtocolChoice::quickest(double bytes, bool is_inside_host) const {
  return *std::ranges::min_element(candidates(is_inside_host), {}, [bytes](const Candidate& candidate) {
    return candidate.latency_s + bytes * candidate.s_per_byte;
  });
}

double ProtocolChoice::greatest_latency_s(bool is_inside_host) const {
  double greatest_s = 0;
  for (const Candidate& candidate : candidates(is_inside_host))
    greatest_s = std::max(greatest_s, candidate.latency_s);
  return greatest_s;
}

double ProtocolChoice::greatest_efficiency(bool is_inside_host) const {
  if (is_empty()) return 1;
  double least_bytes_per_byte = std::numeric_limits<double>::infinity();
  for (const Candidate& candidate : candidates(is_inside_host))
    least_bytes_per_byte = std::min(least_bytes_per_byte, candidate.bytes_per_byte);
  return 1 / least_bytes_per_byte;
}

}  // namespace starling
