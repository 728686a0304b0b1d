#pragma once

#include <span>
#include <vector>

#include "sim/routes.hpp"
#include "topologies/layouts/fabric.hpp"
#include "topologies/networks/network_options.hpp"

namespace starling {

/// The links of a fabric, two for each cable, sorted by (from, to); parallel cables in the order given.
/// Called "from -> to", and the second of parallel ones "from -> to #2". Links from hosts are entries.
std::vector<Link> links_of(const Fabric& fabric);

/// For each of the vertices the number of its first link, and at the end the number of links.
std::vector<LinkIndex> first_links_of(std::span<const Link> links, int vertices);

/// Takes away the cables that overrides say have failed; the fabric's paths are then the shortest that are
/// left. Names are those of all cables: what follows counts parallel ones anew.
///
/// @throws std::invalid_argument if such an override selects nothing, or if the fabric's paths are others
/// than the shortest ones.
void remove_failed(std::span<const LinkOverride> overrides, Fabric& fabric);

/// Changes the links as the overrides say, in their order, but for those that say that cables have failed.
///
/// @throws std::invalid_argument if an override selects nothing.
void apply_overrides(std::span<const LinkOverride> overrides, const Fabric& fabric, std::span<Link> links);

}  // namespace starling
