#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include "sim/routes.hpp"
#include "topologies/formats/xml_text.hpp"
#include "topologies/layouts/fabric.hpp"

namespace starling {

/// The most workers for which a platform is written, as it lists every route: about 10⁵ for 300 workers.
inline constexpr int most_platform_workers = 512;

/// Writes a platform for SimGrid (version 4.1 of its XML): a host for each worker, a link for each link, with
/// the same name, and the route of every pair of workers, in a zone with Full routing. The speed of hosts is
/// arbitrary. O(workers² × links of a route).
///
/// @throws std::invalid_argument if there are more than most_platform_workers.
void write_platform(const Routes& routes, std::span<const std::string> worker_names, std::ostream& out);

/// Reads what write_platform writes for a network with one worker per host, routes included. In a platform of
/// hosts with several workers, each worker counts as a host, provided that every route begins at the vertex
/// of its source. The accepted subset of SimGrid's XML is one zone with Full routing that holds <host>,
/// <link> and <route symmetrical="NO">; links must be called "from -> to", the second of parallel ones "from
/// -> to #2".
///
/// @throws std::invalid_argument with file and line for anything else, and for routes that are missing,
/// repeated or not contiguous.
Fabric fabric_of_platform(const XmlText& document, int hosts);

}  // namespace starling
