#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topologies/networks/network.hpp"

namespace starling {

/// Those of a network that join hosts and switches, and not the workers of a host; each cable is two of them.
std::span<const Link> links_of_cables(const Network& network);

/// The links between the hosts and switches of a network as a graph: those that leave vertex v are
/// first[v] … first[v + 1] − 1, and each has the one of the other direction as its opposite.
struct Cabling {
  int hosts = 0;
  int vertices = 0;
  std::vector<int> first;
  std::vector<int> to;
  std::vector<int> opposite;

  explicit Cabling(const Network& network);

  /// The first of the links from a vertex to a neighbor of it.
  int first_between(int vertex, int neighbor) const;
  int degree(int vertex) const {
    return first[static_cast<std::size_t>(vertex) + 1] - first[static_cast<std::size_t>(vertex)];
  }
  std::span<const int> neighbors(int vertex) const {
    return std::span(to).subspan(static_cast<std::size_t>(first[static_cast<std::size_t>(vertex)]),
                                 static_cast<std::size_t>(degree(vertex)));
  }
};

}  // namespace starling
