#pragma once

#include <memory>
#include <string>
#include <vector>

#include "topologies/layouts/link_options.hpp"

namespace starling {

enum class VertexKind { host, network_switch, worker };

/// An end of links: in a network first the hosts, in order, then the switches, then the workers (only where a
/// host holds several; a host's only worker is the host itself).
struct Vertex {
  VertexKind kind = VertexKind::host;
  std::string name;
};

/// Both directions between two vertices.
struct Cable {
  int from = 0;
  int to = 0;
  LinkOptions link;
};

/// Where a route between two hosts begins and ends.
struct RouteEnds {
  int source_host = 0;
  int destination_host = 0;
};

/// Knows the paths of one fabric: the shortest by number of links, unless its kind says otherwise.
class Router {
 public:
  virtual ~Router() = default;

  /// Appends every neighbor of `vertex` that lies on a shortest path to the host `destination`, each once,
  /// in any order. vertex must differ from destination.
  virtual void next_vertices(int vertex, int destination, std::vector<int>& next) const = 0;

  /// The same on the way between two hosts, for kinds whose paths depend on where they began.
  virtual void next_on_route(const RouteEnds& ends, int vertex, std::vector<int>& next) const {
    next_vertices(vertex, ends.destination_host, next);
  }

  /// The greatest distance between two hosts, in links.
  virtual int diameter() const = 0;
};

/// What a network is wired from: vertices (hosts first), the cables between them, and who knows the way.
struct Fabric {
  int hosts = 0;
  std::vector<Vertex> vertices;
  std::vector<Cable> cables;
  /// Empty: paths are searched.
  std::unique_ptr<Router> router;
  /// Of the grid that the hosts stand on, row-major; empty where they stand on none.
  std::vector<int> dimensions;
};

/// Appends `count` vertices called prefix0, prefix1, ….
void append_vertices(Fabric& fabric, VertexKind kind, int count, const std::string& prefix);

}  // namespace starling
