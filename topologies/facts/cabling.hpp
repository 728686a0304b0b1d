#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "topologies/networks/network.hpp"

namespace starling {

/// The links between hosts and switches of a network as a graph in compressed rows: links first[v] … first[v
/// + 1] − 1 leave vertex v, link i leads to vertex to[i], and opposite[i] is the other direction of its
/// cable.
struct Cabling {
  int hosts = 0;
  int vertices = 0;
  bool do_hosts_forward = true;
  std::vector<int> first;
  std::vector<int> to;
  std::vector<int> opposite;

  explicit Cabling(const Network& network);

  /// The first of the parallel links from a vertex to one of its neighbors.
  int first_between(int vertex, int neighbor) const;
  /// Whether a path that starts at `first_vertex` may continue from `vertex`: hosts need not forward.
  bool leads_on(int vertex, int first_vertex) const {
    return do_hosts_forward || vertex >= hosts || vertex == first_vertex;
  }
  int degree(int vertex) const { return first[index_of(vertex) + 1] - first[index_of(vertex)]; }
  std::span<const int> neighbors(int vertex) const {
    return std::span(to).subspan(index_of(first[index_of(vertex)]), index_of(degree(vertex)));
  }
};

}  // namespace starling
