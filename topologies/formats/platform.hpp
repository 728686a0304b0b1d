#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include "sim/routes.hpp"
#include "topologies/formats/xml_text.hpp"
#include "topologies/layouts/fabric.hpp"

namespace starling {

/// The most workers whose platform is written: their routes are listed one by one, 10⁵ of them at 300.
inline constexpr int most_platform_workers = 512;

/// Writes a platform for SimGrid (version 4.1 of its XML): a host for each worker, a link for each of ours,
/// called as it is here, and the route of every pair of workers in a zone with Full routing. A host's speed
/// means nothing. O(workers² × links of a route).
///
/// @throws std::invalid_argument if there are more than most_platform_workers.
void write_platform(const Routes& routes, std::span<const std::string> worker_names, std::ostream& out);

/// Reads back what write_platform writes of a network with one worker on each host, routes included; of a
/// network with several, each is a host of its own, provided that no route leaves out its worker's own link.
/// Of SimGrid's XML it takes one zone with Full routing, <host>, <link> and <route symmetrical="NO">; links
/// must be called "from -> to", and the second of parallel ones "from -> to #2".
///
/// @throws std::invalid_argument with file and line for anything else, and for routes that are missing, come
/// twice or do not lead from link to link.
Fabric fabric_of_platform(const XmlText& document, int hosts);

}  // namespace starling
