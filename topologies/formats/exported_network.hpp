#pragma once

#include <span>
#include <vector>

#include "sim/routes.hpp"
#include "topologies/layouts/fabric.hpp"

namespace starling {

/// The hosts and switches of a network, and the links between them.
struct ExportedNetwork {
  std::span<const Vertex> vertices;
  /// Sorted by (from, to), each with its way back.
  std::vector<Link> links;
};

/// Which of the parallel links between its ends a link is, from 1.
int number_of(std::span<const Link> links, std::size_t index);

/// The other direction of the same cable.
const Link& link_back(std::span<const Link> links, std::size_t index);

/// Whether the directions of a cable have the same bandwidth and latency.
bool are_alike(const Link& one, const Link& other);

}  // namespace starling
