#pragma once

#include "algorithms/training/shared/cluster_facts.hpp"
#include "scenarios/reading/scenario.hpp"
#include "topologies/networks/network.hpp"

namespace starling {

/// What algorithms are told of the network: the cost of messages between neighboring hosts, and inside hosts.
/// The network must outlive what they are told.
ClusterFacts facts_of(const Network& network, const MessageCosts& costs);

/// The same of the workers of one of several jobs. Its ranks count as several a host only if every host has
/// as many of them, one after the other; the last may have fewer.
ClusterFacts facts_of(const Routes& routes, const MessageCosts& costs);

/// A cluster's network as messages of its hosts find it.
Network network_of(const ClusterOptions& cluster, const HostCosts& host_costs, const Jitter& jitter = {});

/// Whether, under `fair`, no window and no rate of a connection ever holds it back on these routes. False
/// where that is not known: with windows, or slower rates than the fastest link's, on more than 512 workers,
/// whose pairs are too many to look at.
bool do_only_links_limit(const Scenario& scenario, const Routes& routes);

}  // namespace starling
