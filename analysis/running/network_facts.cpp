#include "analysis/running/network_facts.hpp"

#include <algorithm>
#include <vector>

namespace starling {

namespace {

/// What a message costs from a rank to the rank `distance` further on, for the worst of the ranks 0, stride,
/// 2·stride, …
LinearCosts worst_costs(const Network& network, const MessageCosts& costs, const ProtocolChoice& protocols,
                        int stride, int distance) {
  LinearCosts worst{.reduction_s_per_byte = costs.reduction_s_per_byte};
  const bool is_inside_host = distance < stride;
  for (Rank rank = 0; rank + distance < network.workers(); rank += stride) {
    worst.start_up_s = std::max(worst.start_up_s, network.alpha_s(rank, rank + distance));
    worst.s_per_byte = std::max(worst.s_per_byte, 1 / network.bandwidth_Bps(rank, rank + distance));
  }
  // What is large goes by the protocol that is slow to begin, but sends nothing but data.
  worst.start_up_s += 2 * costs.overhead_s + protocols.greatest_latency_s(is_inside_host);
  return worst;
}

/// Where hosts hold ranks that are not consecutive, algorithms take every worker for a host of its own; what
/// workers of a host send at once, each to the rank after it, shares the host's links.
ClusterFacts facts_of_scattered(const Network& network, const MessageCosts& costs,
                                const ProtocolChoice& protocols) {
  ClusterFacts facts{.workers = network.workers(),
                     .is_scattered = true,
                     .costs = worst_costs(network, costs, protocols, 1, 1)};
  std::vector<int> senders(static_cast<std::size_t>(network.hosts()), 0);
  int most = 1;
  for (Rank rank = 0; rank < network.workers(); ++rank) {
    const int host = network.host_of(rank);
    if (network.host_of((rank + 1) % network.workers()) != host)
      most = std::max(most, ++senders[static_cast<std::size_t>(host)]);
  }
  facts.costs.s_per_byte *= most;
  return facts;
}

}  // namespace

Network network_of(const ClusterOptions& cluster, const HostCosts& host_costs) {
  Network network = build_network(cluster);
  network.add_host_costs(host_costs.goodput, host_costs.latency_s);
  return network;
}

ClusterFacts facts_of(const Network& network, const MessageCosts& costs) {
  const int per_host = network.workers_per_host();
  const ProtocolChoice protocols(costs.protocols, network);
  if (!network.has_consecutive_ranks()) return facts_of_scattered(network, costs, protocols);
  ClusterFacts facts{
      .workers = network.workers(), .workers_per_host = per_host, .costs = {}, .intra_host_costs = {}};
  facts.costs = worst_costs(network, costs, protocols, per_host, network.hosts() > 1 ? per_host : 1);
  if (per_host > 1) facts.intra_host_costs = worst_costs(network, costs, protocols, per_host, 1);
  return facts;
}

}  // namespace starling
