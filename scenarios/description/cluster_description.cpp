#include "scenarios/description/cluster_description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/options/option_limit.hpp"
#include "sim/messages/transport.hpp"
#include "topologies/networks/network.hpp"

namespace starling {
namespace {

/// Builds the network: overrides of links, among other things, can be checked on the finished network only.
void check_network(const ClusterOptions& options, OptionVisitor& visitor) {
  visitor.check("network", [&] {
    ClusterOptions in_blocks = options;
    in_blocks.placement = {};
    build_network(in_blocks);
  });
  visitor.check("placement", [&] {
    if (!is_block(options.placement)) build_network(options);
  });
}

void describe_host_costs(HostCosts& costs, OptionVisitor& visitor) {
  visitor.number(
      {"goodput", "the share of a link's bandwidth between hosts that carries data; the rest is headers"},
      costs.goodput, {.least = 1e-6, .greatest = 1});
  visitor.time({"host_latency",
                "time that each host adds to the latency of a message that leaves it for another host, its "
                "own message or one that it only forwards: system calls, waking up"},
               costs.latency_s);
}

/// Must come after the transport, which sets the default.
void describe_host_rate(double& rate_Bps, OptionVisitor& visitor) {
  const Option option{.key = "host_rate",
                      .meaning =
                          "largest rate at which a host's network software, threads that copy to and from "
                          "sockets, moves data over a cable of the host, in each direction",
                      .otherwise = "the transport's",
                      .word = "unlimited"};
  describe_limit(rate_Bps, [&](std::optional<double>& given) { visitor.rate(option, given); });
}

/// The latency from worker 0 to the first worker on another host, in seconds; such a worker must exist.
double latency_to_next_host_s(const Network& network) {
  Rank other = 1;
  while (network.host_of(other) == network.host_of(0)) ++other;
  return network.alpha_s(0, other);
}

/// The greatest latency from one host of a route to the next host on it, in seconds.
double greatest_hop_latency_s(const Network& network, std::span<const LinkIndex> route) {
  const int vertices = network.hosts() + network.switches();
  double greatest_s = 0;
  double hop_latency_s = 0;
  bool is_on_cables = false;  // not between a worker and its network card
  for (const LinkIndex index : route) {
    const Link& link = network.links()[static_cast<std::size_t>(index)];
    const bool is_cable = link.from_vertex < vertices && link.to_vertex < vertices;
    const bool leaves_host_between = is_on_cables && is_cable && link.from_vertex < network.hosts();
    hop_latency_s = link.latency_s + (leaves_host_between ? 0 : hop_latency_s);
    is_on_cables = is_cable;
    greatest_s = std::max(greatest_s, hop_latency_s);
  }
  return greatest_s;
}

/// The greatest latency from one host to the next host, in seconds, on the routes from the first worker of
/// each host to worker 0: routes to one destination take a single search of the network. With more than
/// `most_hosts` hosts, only evenly spaced ones are looked at.
double greatest_latency_s(const Network& network) {
  constexpr int most_hosts = 16'384;
  const int spacing = 1 + (network.hosts() - 1) / most_hosts;
  std::vector<bool> is_seen(static_cast<std::size_t>(network.hosts()));
  is_seen[static_cast<std::size_t>(network.host_of(0))] = true;
  double greatest_s = 0;
  for (Rank rank = 1; rank < network.workers(); ++rank) {
    const int host = network.host_of(rank);
    if (host % spacing != 0 || is_seen[static_cast<std::size_t>(host)]) continue;
    is_seen[static_cast<std::size_t>(host)] = true;
    greatest_s = std::max(greatest_s, greatest_hop_latency_s(network, network.route(rank, 0)));
  }
  return greatest_s;
}

/// What `latency_s` computes of the cluster's network, without the latencies of protocols; nullopt if there
/// is one host only, or the network cannot be built.
std::optional<double> between_hosts_s(const ClusterDescription& cluster,
                                      double (*latency_s)(const Network& network)) {
  const ClusterOptions& options = cluster.options;
  if (options.workers <= options.workers_per_host) return std::nullopt;
  try {
    Network network = build_network(options);
    network.add_host_costs(cluster.host_costs);
    return latency_s(network);
  } catch (const std::invalid_argument&) {
    return std::nullopt;  // check_network() reports the error
  }
}

std::string in_microseconds(double time_s) { return fmt::format("{:.6g} us", time_s * 1e6); }

/// Chooses the transport of a cluster that names none.
void choose_transport(ClusterDescription& cluster, bool uses_tcp, bool has_send_buffer) {
  if (has_send_buffer) {
    cluster.transport = "mpi_tcp";
    cluster.transport_reason = "not given; send_buffer is given";
    return;
  }
  const std::optional<double> latency_s = between_hosts_s(cluster, latency_to_next_host_s);
  if (!latency_s) {
    cluster.transport = uses_tcp ? "nccl_tcp" : "nccl_ib";
    cluster.transport_reason =
        fmt::format("not given; there is only one host{}", uses_tcp ? ", engine tcp" : "");
  } else {
    cluster.transport = uses_tcp || *latency_s >= least_tcp_latency_s ? "nccl_tcp" : "nccl_ib";
    cluster.transport_reason =
        fmt::format("not given; latency between hosts is {}{}", in_microseconds(*latency_s),
                    uses_tcp && *latency_s < least_tcp_latency_s ? ", engine tcp" : "");
  }
}

void describe_transport(ClusterDescription& cluster, bool uses_tcp, OptionVisitor& visitor) {
  // The latency takes building the network, which is done only for clusters that depend on it.
  const bool is_given = visitor.gives("transport");
  if (is_given)
    cluster.transport_reason = "given";
  else
    choose_transport(cluster, uses_tcp, visitor.gives("send_buffer"));
  visitor.choice(
      {.key = "transport",
       .meaning = "communication software that determines the costs of messages for which no key is given, "
                  "see below",
       .otherwise =
           "follows from the latency between hosts: `nccl_ib` below 10 us and on one host, `nccl_tcp` "
           "from there on and for engine tcp; `mpi_tcp` where there is a `send_buffer`"},
      cluster.transport, {.names = transport_names()});
  const Transport& chosen = transport(cluster.transport);
  visitor.require(!chosen.is_verbs || !uses_tcp, "transport",
                  "cannot be used with the engine tcp, which simulates sockets",
                  "\"nccl_tcp\", \"mpi_tcp\" or \"ideal\"", fmt::format("\"{}\"", chosen.name));
  if (chosen.is_verbs && is_given) {
    const double latency_s = between_hosts_s(cluster, greatest_latency_s).value_or(0);
    visitor.require(latency_s <= most_verbs_latency_s, "transport",
                    fmt::format("cannot be used on this network, where the latency between two hosts is {}",
                                in_microseconds(latency_s)),
                    fmt::format("\"nccl_tcp\", \"mpi_tcp\" or \"ideal\", or a latency of at most {}",
                                in_microseconds(most_verbs_latency_s)),
                    fmt::format("\"{}\"", chosen.name));
  }
  cluster.host_costs.rate_Bps = chosen.host_rate_Bps;
  cluster.message_costs = chosen.costs;
  if (cluster.options.workers_per_host == 1 && !chosen.protocols_of_single_workers.empty())
    cluster.message_costs.protocols = chosen.protocols_of_single_workers;
}

}  // namespace

void describe_cluster(ClusterDescription& cluster, bool uses_tcp, OptionVisitor& visitor) {
  describe(cluster.options, visitor);
  check_network(cluster.options, visitor);
  describe_host_costs(cluster.host_costs, visitor);
  describe_transport(cluster, uses_tcp, visitor);
  describe_host_rate(cluster.host_costs.rate_Bps, visitor);
  describe(cluster.message_costs, visitor);
  // A scenario for another engine may carry the options of TCP, for when it is run with that engine.
  visitor.object({"tcp", "connections between hosts for the engine `tcp`; accepted with any engine",
                  "the defaults below"},
                 Nested{.describe = [&](OptionVisitor& inner) { describe(cluster.tcp, inner); },
                        .is_present = uses_tcp,
                        .may_be_absent = !uses_tcp,
                        .set_present = [&](bool) { cluster.tcp = {}; }});
  visitor.number({"model_error",
                  "e: nine of ten iteration times measured on such a cluster lie between prediction / (1 + "
                  "e) and prediction · (1 + e), as reported by `starling validate` for a study and by "
                  "`reproduce` for published measurements; the intervals of `run --uncertainty` include it",
                  "absent: unknown, and intervals include seeds and given errors only"},
                 cluster.model_error, {.least = 0, .greatest = 10});
  visitor.include({"file",
                   "file whose `cluster` supplies the keys that are not given here (a key that is given here "
                   "replaces the file's as a whole), such as `starling calibrate` writes",
                   "absent"},
                  "cluster", {"starling", "measured"});
}

}  // namespace starling
