#pragma once

#include "topologies/layouts/fabric.hpp"
#include "topologies/networks/network_options.hpp"

namespace starling {

/// Lays out a network of that kind for that many hosts; only rails take notice of their network cards.
///
/// @throws std::invalid_argument if the options are impossible, or do not fit the number of hosts.
Fabric build_fabric(int hosts, const NetworkKind& kind, int nics_per_host = 1);

}  // namespace starling
