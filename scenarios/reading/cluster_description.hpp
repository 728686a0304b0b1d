#pragma once

#include "sim/networks/tcp_network.hpp"
#include "sim/simulated/simulated_world.hpp"
#include "topologies/networks/network_options.hpp"

namespace starling {

/// What the hosts' network software costs a message between hosts, beside what links and workers do.
struct HostCosts {
  double goodput = 1;    // share of a link's bandwidth that carries data, the rest being headers
  double latency_s = 0;  // once a message, and occupies nothing
};

/// What a scenario's `cluster` says: the network, and what a message costs at its ends.
struct ClusterDescription {
  ClusterOptions options;
  MessageCosts message_costs;
  HostCosts host_costs;
  TcpOptions tcp;
};

}  // namespace starling
