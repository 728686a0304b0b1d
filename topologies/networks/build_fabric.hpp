#pragma once

#include "topologies/layouts/fabric.hpp"
#include "topologies/networks/network_options.hpp"

namespace starling {

/// Lays out a network of that kind for that many hosts; only rails take notice of their network cards.
///
/// The options are as `describe_network` accepts them for so many hosts.
/// @throws std::invalid_argument if they are impossible in another way, or there are too many cables to
/// build.
Fabric build_fabric(int hosts, const NetworkKind& kind, int nics_per_host = 1);

}  // namespace starling
