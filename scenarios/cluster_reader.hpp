#pragma once

#include <string>
#include <vector>

#include "scenarios/json_reader.hpp"
#include "sim/simulated_world.hpp"
#include "topologies/network_options.hpp"

namespace starling {

/// What a scenario's `cluster` says: the network, and what a message costs at its ends.
struct ClusterDescription {
  ClusterOptions options;
  MessageCosts message_costs;
};

/// Reads a scenario's `cluster` and builds its network once to be sure that it can be. What is legal but
/// suspicious is added to `warnings`. @throws ScenarioError.
Normalised<ClusterDescription> read_cluster(const JsonPlace& place, std::vector<std::string>& warnings);

}  // namespace starling
