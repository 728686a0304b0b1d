#include "analysis/running/network_facts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analysis/running/run_facts.hpp"
#include "topologies/placement/placement.hpp"

namespace starling {

namespace {

/// The cost of a message from a rank to the rank `distance` higher, at worst over the ranks 0, stride,
/// 2·stride, …
LinearCosts worst_costs(const Routes& routes, const MessageCosts& costs, const ProtocolChoice& protocols,
                        int stride, int distance) {
  LinearCosts worst{.reduction_s_per_byte = costs.reduction_s_per_byte};
  const bool is_inside_host = distance < stride;
  for (Rank rank = 0; rank + distance < routes.workers(); rank += stride) {
    const RouteSummary summary = routes.summary(rank, rank + distance);
    worst.start_up_s = std::max(worst.start_up_s, summary.latency_s);
    worst.s_per_byte = std::max(worst.s_per_byte, summary.s_per_byte());
  }
  // Large messages go by the protocol with the greatest latency, which has the most data per byte on the
  // wire.
  worst.start_up_s += 2 * costs.overhead_s + protocols.greatest_latency_s(is_inside_host);
  worst.s_per_byte /= protocols.greatest_efficiency(is_inside_host);
  return worst;
}

/// The longest latency among the routes from which worst_costs() takes the cost of a message between hosts.
double longest_latency_s(const Routes& routes, int distance) {
  double longest_s = 0;
  for (Rank rank = 0; rank + distance < routes.workers(); rank += distance)
    longest_s = std::max(longest_s, routes.summary(rank, rank + distance).latency_s);
  return longest_s;
}

/// How many workers of a host can send to the next host at once, each as fast as one alone; of the worst
/// host. The last host may hold fewer workers.
double interfaces_per_host(const Routes& routes, int per_host) {
  double least = per_host;
  for (Rank first = 0; first + per_host < routes.workers(); first += per_host) {
    const int senders = std::min(per_host, routes.workers() - first - per_host);
    std::map<LinkIndex, int> shares;
    double alone_s_per_byte = 0;
    double together_s_per_byte = 0;
    for (Rank rank = first; rank < first + senders; ++rank)
      for (const LinkIndex index : routes.route(rank, rank + per_host)) {
        const double s_per_byte = 1 / routes.links()[static_cast<std::size_t>(index)].bandwidth_Bps;
        alone_s_per_byte = std::max(alone_s_per_byte, s_per_byte);
        together_s_per_byte = std::max(together_s_per_byte, ++shares[index] * s_per_byte);
      }
    least = std::min(least, senders * alone_s_per_byte / together_s_per_byte);
  }
  return least;
}

/// The costs of messages, and the protocols that they are sent by.
struct MessageRules {
  MessageCosts costs;
  ProtocolChoice protocols;

  /// The cost of a message of so many bytes; `in_network`: of its route alone.
  LinearCosts of_message(const LinearCosts& in_network, double bytes, bool is_inside_host,
                         MessageKind kind) const {
    const double least_bytes = std::max(bytes, 1.0);
    const ProtocolChoice::Wire wire = kind == MessageKind::ring
                                          ? protocols.wire_in_ring(least_bytes, is_inside_host).wire
                                          : protocols.wire(least_bytes, is_inside_host);
    const int crossings = waits(bytes) ? 3 : 1;  // request, answer, data
    return {.start_up_s = crossings * in_network.start_up_s + 2 * costs.overhead_s + wire.latency_s,
            .s_per_byte = wire.bytes / least_bytes * in_network.s_per_byte,
            .reduction_s_per_byte = costs.reduction_s_per_byte};
  }
  bool waits(double bytes) const { return bytes > costs.eager_in_collectives_bytes(); }
};

/// Messages that all ranks send at once, each to its receiver, in the network alone: the latency of each
/// route, and the time per byte of that of its links which takes longest for all messages that pass it. Two
/// ranks that send to each other by rendezvous over one stream do so one after the other, as the answer to
/// the later one waits behind the data of the earlier one.
class MessagesAtOnce {
 public:
  MessagesAtOnce(const Routes& routes, std::span<const Rank> receivers) {
    std::vector<int> sent(routes.links().size());
    each_route(routes, receivers, [&](Rank, const auto& route) {
      for (const LinkIndex index : route) ++sent[static_cast<std::size_t>(index)];
    });
    each_route(routes, receivers, [&](Rank sender, const auto& route) {
      const Rank receiver = receivers[static_cast<std::size_t>(sender)];
      is_exchange_ = is_exchange_ || receivers[static_cast<std::size_t>(receiver)] == sender;
      LinearCosts message;
      for (const LinkIndex index : route) {
        const auto place = static_cast<std::size_t>(index);
        message.start_up_s += routes.links()[place].latency_s;
        message.s_per_byte = std::max(message.s_per_byte, sent[place] / routes.links()[place].bandwidth_Bps);
      }
      (routes.host_of(sender) == routes.host_of(receiver) ? inside_hosts_ : between_hosts_).add(message);
    });
  }

  StepCosts of_bytes(double bytes, const MessageRules& rules, MessageKind kind) const {
    StepMessages all;
    for (const bool is_inside_host : {false, true}) {
      const StepMessages& messages = is_inside_host ? inside_hosts_ : between_hosts_;
      if (messages.messages() == 0) continue;
      const auto costs = [&](const LinearCosts& in_network) {
        return rules.of_message(in_network, bytes, is_inside_host, kind);
      };
      all.add({.mean = costs(messages.costs().mean), .slowest = costs(messages.costs().slowest)},
              messages.messages());
    }
    StepCosts step = all.costs();
    if (rules.waits(bytes)) {
      if (is_exchange_ && !rules.costs.has_control_channel()) step.slowest.s_per_byte *= 2;
      step.mean = step.slowest;
    }
    if (kind == MessageKind::ring && rules.protocols.are_rings_paced())
      step.mean.s_per_byte = step.slowest.s_per_byte;
    return step;
  }

 private:
  template <typename Act>
  static void each_route(const Routes& routes, std::span<const Rank> receivers, Act act) {
    for (std::size_t sender = 0; sender < receivers.size(); ++sender)
      if (receivers[sender] >= 0)
        act(static_cast<Rank>(sender), routes.route(static_cast<Rank>(sender), receivers[sender]));
  }

  StepMessages between_hosts_;
  StepMessages inside_hosts_;
  bool is_exchange_ = false;  // two ranks send to each other
};

/// `routes` must outlive the finder.
StepCostsFinder step_costs(const Routes& routes, const MessageCosts& costs, const ProtocolChoice& protocols) {
  const auto rules = std::make_shared<const MessageRules>(costs, protocols);
  return [&routes, rules](std::span<const Rank> receivers, MessageKind kind) {
    return [messages = MessagesAtOnce(routes, receivers), rules, kind](double bytes) {
      return messages.of_bytes(bytes, *rules, kind);
    };
  };
}

/// Where hosts hold ranks that are not consecutive, algorithms treat every worker as a host of its own. The
/// messages that workers of a host send at once, each to the next rank, share the host's links.
ClusterFacts facts_of_scattered(const Routes& routes, const MessageCosts& costs,
                                const ProtocolChoice& protocols) {
  ClusterFacts facts{.workers = routes.workers(),
                     .is_scattered = true,
                     .costs = worst_costs(routes, costs, protocols, 1, 1)};
  std::vector<int> senders(static_cast<std::size_t>(routes.hosts()), 0);
  int most = 1;
  for (Rank rank = 0; rank < routes.workers(); ++rank) {
    const int host = routes.host_of(rank);
    if (routes.host_of((rank + 1) % routes.workers()) != host)
      most = std::max(most, ++senders[static_cast<std::size_t>(host)]);
  }
  facts.costs.s_per_byte *= most;
  return facts;
}

ClusterFacts facts_of_consecutive(const Routes& routes, const MessageCosts& costs,
                                  const ProtocolChoice& protocols, int per_host, bool has_several_hosts) {
  ClusterFacts facts{
      .workers = routes.workers(), .workers_per_host = per_host, .costs = {}, .intra_host_costs = {}};
  facts.costs = worst_costs(routes, costs, protocols, per_host, has_several_hosts ? per_host : 1);
  if (per_host == 1) return facts;
  facts.intra_host_costs = worst_costs(routes, costs, protocols, per_host, 1);
  facts.interfaces_per_host = interfaces_per_host(routes, per_host);
  return facts;
}

/// `per_host`: how many consecutive ranks each host has; 0 where they are not consecutive.
ClusterFacts facts_of(const Routes& routes, const MessageCosts& costs, int per_host, bool has_several_hosts) {
  const ProtocolChoice protocols(costs.protocols, routes, costs.are_rings_paced);
  ClusterFacts facts = per_host > 0
                           ? facts_of_consecutive(routes, costs, protocols, per_host, has_several_hosts)
                           : facts_of_scattered(routes, costs, protocols);
  facts.step_costs = step_costs(routes, costs, protocols);
  facts.eager_bytes = costs.eager_in_collectives_bytes();
  facts.handshake_s = 2 * longest_latency_s(routes, std::max(1, per_host));
  return facts;
}

/// The placements that keep the ranks of a host consecutive and that this network allows.
std::vector<std::string> consecutive_placements(const Network& network) {
  std::vector<std::string> names{"block"};
  if (!network.dimensions().empty()) names.emplace_back("snake");
  if (network.hosts() <= most_optimized_hosts) names.emplace_back(optimized_placement);
  return names;
}

/// The limits of all streams of a connection together.
struct ConnectionLimits {
  double window_bytes;
  double rate_Bps;
  double frame_bytes;  // what is acknowledged at once
  double frame_s;      // of one frame at the rate of one stream
};

ConnectionLimits connection_limits(const Scenario& scenario) {
  constexpr double unlimited = std::numeric_limits<double>::infinity();
  const FairOptions& fair = scenario.fair;
  const double streams = scenario.message_costs.channels;
  const double window_bytes = fair.window_bytes.value_or(unlimited);
  const double rate_Bps = fair.connection_rate_Bps.value_or(unlimited);
  return {.window_bytes = window_bytes * streams,
          .rate_Bps = rate_Bps * streams,
          .frame_bytes = std::min(fair.frame_bytes, window_bytes * streams),
          .frame_s = std::min(fair.frame_bytes, window_bytes) / rate_Bps};
}

/// Whether a connection is limited in either direction, by the rules of FairNetwork up to rounding.
bool is_held_back(const ConnectionLimits& limits, const RouteSummary& there, const RouteSummary& back) {
  constexpr double rounding = 1e-9;
  const double fastest_Bps = std::max(there.least_bandwidth_Bps, back.least_bandwidth_Bps);
  const double slowest_Bps = std::min(there.least_bandwidth_Bps, back.least_bandwidth_Bps);
  if (limits.rate_Bps < fastest_Bps) return true;
  const double round_trip_s =
      there.latency_s + back.latency_s + std::max(limits.frame_bytes / slowest_Bps, limits.frame_s);
  return limits.window_bytes < (1 + rounding) * fastest_Bps * round_trip_s;
}

}  // namespace

Network network_of(const ClusterOptions& cluster, const HostCosts& host_costs, const Jitter& jitter) {
  Network network = build_network(cluster);
  network.add_host_costs(host_costs);
  if (jitter.share > 0) network.jitter_latencies(jitter);
  return network;
}

ClusterFacts facts_of(const Network& network, const MessageCosts& costs) {
  const int per_host = network.has_consecutive_ranks() ? network.workers_per_host() : 0;
  ClusterFacts facts = facts_of(network, costs, per_host, network.hosts() > 1);
  if (facts.is_scattered) facts.consecutive_placements = consecutive_placements(network);
  return facts;
}

ClusterFacts facts_of(const Routes& routes, const MessageCosts& costs) {
  const int per_host = ranks_of_each_host(hosts_by_rank(routes));
  return facts_of(routes, costs, per_host, routes.workers() > per_host);
}

bool do_only_links_limit(const Scenario& scenario, const Routes& routes) {
  constexpr int most_workers_looked_at = 512;
  if (scenario.engine != Engine::fair) return false;
  if (!scenario.fair.window_bytes && !scenario.fair.connection_rate_Bps) return true;
  const ConnectionLimits limits = connection_limits(scenario);
  const auto is_slower = [&](const Link& link) { return link.bandwidth_Bps <= limits.rate_Bps; };
  if (std::isinf(limits.window_bytes) && std::ranges::all_of(routes.links(), is_slower)) return true;
  if (routes.workers() > most_workers_looked_at) return false;
  for (Rank source = 0; source < routes.workers(); ++source)
    for (Rank destination = 0; destination < source; ++destination)
      if (routes.host_of(source) != routes.host_of(destination) &&
          is_held_back(limits, routes.summary(source, destination), routes.summary(destination, source)))
        return false;
  return true;
}

}  // namespace starling
