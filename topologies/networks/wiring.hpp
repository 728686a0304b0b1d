#pragma once

#include <span>
#include <vector>

#include "sim/routes.hpp"
#include "topologies/layouts/fabric.hpp"
#include "topologies/networks/network_options.hpp"

namespace starling {

/// The links of a fabric, two for each cable, sorted by (from, to); parallel cables in the given order. Links
/// are called "from -> to", the second of parallel ones "from -> to #2". Links that leave hosts have is_entry
/// set.
std::vector<Link> links_of(const Fabric& fabric);

/// The index of the first link of each vertex, and at the end the number of links. `links` must be sorted by
/// their from_vertex.
std::vector<LinkIndex> first_links_of(std::span<const Link> links, int vertices);

/// Removes the cables that overrides declare failed; if there are any, paths are then the shortest ones that
/// remain. The overrides select by the names that links have before any cable is removed; afterwards parallel
/// cables are numbered anew.
///
/// @throws std::invalid_argument if such an override selects nothing, or if the fabric does not route along
/// shortest paths.
void remove_failed(std::span<const LinkOverride> overrides, Fabric& fabric);

/// Applies the overrides of bandwidth and latency to the links, in order; skips those that declare cables
/// failed.
///
/// @throws std::invalid_argument if an override selects nothing.
void apply_overrides(std::span<const LinkOverride> overrides, const Fabric& fabric, std::span<Link> links);

}  // namespace starling
