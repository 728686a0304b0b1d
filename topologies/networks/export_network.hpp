#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/networks/network.hpp"

namespace starling {

/// "graphml", "dot", "simgrid".
std::vector<std::string> export_formats();

/// Writes a network in one of the export_formats. GraphML has hosts, switches and their cables, and the
/// network kind `file` reads it back; routes are then the shortest. DOT shows the same. A SimGrid platform
/// has a host for each worker and the routes of every pair, at most 512 workers.
///
/// @throws std::invalid_argument for another format, and for a platform of too many workers.
void export_network(const Network& network, std::string_view format, std::ostream& out);

}  // namespace starling
