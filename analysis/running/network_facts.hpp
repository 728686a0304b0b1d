#pragma once

#include "algorithms/training/shared/cluster_facts.hpp"
#include "scenarios/reading/scenario.hpp"
#include "topologies/networks/network.hpp"

namespace starling {

/// What algorithms are told of the network: the cost of messages between neighboring hosts, and inside hosts.
/// The network must outlive the facts.
ClusterFacts facts_of(const Network& network, const MessageCosts& costs);

/// The same for one of several jobs, whose workers `routes` joins. Its ranks count as several per host only
/// if every host has equally many consecutive ones; the last host may have fewer.
ClusterFacts facts_of(const Routes& routes, const MessageCosts& costs);

/// A cluster's network with the costs of its hosts and, if its share is above 0, jittered latencies.
Network network_of(const ClusterOptions& cluster, const HostCosts& host_costs, const Jitter& jitter = {});

/// Whether, under `fair`, no window and no rate of a connection ever limits it on these routes. False under
/// other engines, and where that is not known: with windows, or with rates below the fastest link's, on more
/// than 512 workers, which have too many pairs to check.
bool do_only_links_limit(const Scenario& scenario, const Routes& routes);

}  // namespace starling
