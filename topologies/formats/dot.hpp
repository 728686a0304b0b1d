#pragma once

#include <iosfwd>

#include "topologies/formats/exported_network.hpp"

namespace starling {

/// Writes a graph for Graphviz: hosts round, switches square, at each cable its bandwidth and latency, those
/// of both directions where they differ.
void write_dot(const ExportedNetwork& network, std::ostream& out);

}  // namespace starling
