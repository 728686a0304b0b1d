#pragma once

#include "algorithms/training/cluster_facts.hpp"
#include "scenarios/cluster_reader.hpp"
#include "sim/simulated_world.hpp"
#include "topologies/network.hpp"

namespace starling {

/// What algorithms are told of the network: the cost of messages between neighbouring hosts, and inside hosts.
ClusterFacts facts_of(const Network& network, const MessageCosts& costs);

/// A cluster's network as messages of its hosts find it.
Network network_of(const ClusterOptions& cluster, const HostCosts& host_costs);

}  // namespace starling
