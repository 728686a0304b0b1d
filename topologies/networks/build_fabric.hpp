#pragma once

#include "topologies/layouts/fabric.hpp"
#include "topologies/networks/network_options.hpp"

namespace starling {

/// Lays out a network of the given kind for `hosts` hosts. Only rails use `nics_per_host`.
///
/// The options must be such as `describe_network` accepts for that number of hosts.
/// @throws std::invalid_argument if the options are inconsistent in a way that descriptions do not check, or
/// need more than largest_cable_count cables.
Fabric build_fabric(int hosts, const NetworkKind& kind, int nics_per_host = 1);

}  // namespace starling
