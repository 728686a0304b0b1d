#pragma once

#include <iosfwd>

#include "topologies/formats/exported_network.hpp"

namespace starling {

/// Writes the network as an undirected graph in DOT, for Graphviz: hosts as ellipses, switches as boxes,
/// cables labeled with bandwidth and latency, of both directions if they differ.
void write_dot(const ExportedNetwork& network, std::ostream& out);

}  // namespace starling
