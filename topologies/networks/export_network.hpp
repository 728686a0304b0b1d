#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/networks/network.hpp"

namespace starling {

/// The formats that export_network() writes: "graphml", "dot", "simgrid".
std::vector<std::string> export_formats();

/// Writes a network in one of the export_formats(). GraphML and DOT hold hosts, switches and cables; the
/// network kind `file` reads GraphML back and then takes shortest paths. A SimGrid platform holds a host for
/// each worker, 512 at most, and the route of every pair of workers.
///
/// @throws std::invalid_argument for an unknown format, and for a platform of more than 512 workers.
void export_network(const Network& network, std::string_view format, std::ostream& out);

}  // namespace starling
