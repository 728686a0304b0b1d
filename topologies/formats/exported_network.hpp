#pragma once

#include <span>
#include <vector>

#include "sim/routes.hpp"
#include "topologies/layouts/fabric.hpp"

namespace starling {

/// The hosts and switches of a network, and the links between them.
struct ExportedNetwork {
  std::span<const Vertex> vertices;
  /// Sorted by (from, to); for each link the opposite direction is there, too.
  std::vector<Link> links;
};

/// The number, from 1, of a link among the parallel links with the same ends.
int number_of(std::span<const Link> links, std::size_t index);

/// The other direction of the same cable.
const Link& link_back(std::span<const Link> links, std::size_t index);

/// Whether two links, such as the directions of a cable, have the same bandwidth and latency.
bool are_alike(const Link& one, const Link& other);

}  // namespace starling
