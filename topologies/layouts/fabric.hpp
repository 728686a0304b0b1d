#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "topologies/layouts/link_options.hpp"

namespace starling {

enum class VertexKind { host, network_switch, worker, nic };

/// An end of links: in a network first the hosts, in order, then the switches, then the workers (only where a
/// host holds several; a host's only worker is the host itself), then network cards that have links of their
/// own.
struct Vertex {
  VertexKind kind = VertexKind::host;
  std::string name;
};

/// A cable between two vertices: a link in each direction.
struct Cable {
  int from = 0;
  int to = 0;
  LinkOptions link;
  /// From `to` to `from`, where that is not the same.
  std::optional<LinkOptions> back = {};
};

/// Where a route between two hosts begins and ends.
struct RouteEnds {
  int source_host = 0;
  int destination_host = 0;
  /// Which of the hosts' network cards.
  int source_nic = 0;
  int destination_nic = 0;
};

/// A link of a route: where it leads, and which of parallel links it is, from 0.
struct RouteStep {
  int to_vertex = 0;
  int parallel = 0;
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

  /// The whole way, for fabrics whose routes are given one by one; else empty.
  virtual std::span<const RouteStep> given_route(const RouteEnds& /*ends*/) const { return {}; }

  /// The greatest distance between two hosts, in links.
  virtual int diameter() const = 0;

  virtual bool takes_shortest_paths() const { return true; }
};

/// What a network is wired from: vertices (hosts first), the cables between them, and who knows the way.
struct Fabric {
  int hosts = 0;
  std::vector<Vertex> vertices;
  std::vector<Cable> cables;
  /// Empty: paths are searched.
  std::unique_ptr<Router> router;
  /// Of the search: whether paths may lead through hosts, and how many switches, the first ones, are taken
  /// before other vertices that are as near.
  bool hosts_forward = true;
  int preferred_switches = 0;
  /// Of the grid that the hosts stand on, row-major; empty where they stand on none.
  std::vector<int> dimensions;
  /// Network cards; where there are several, a route ends at the card of the worker that it is for.
  int nics_per_host = 1;
  /// Whether what arrives at another card than it would leave by is first brought there inside its host.
  bool changes_nics_inside_hosts = false;
};

/// Appends `count` vertices called prefix0, prefix1, ….
void append_vertices(Fabric& fabric, VertexKind kind, int count, const std::string& prefix);

/// Hosts, the first `hosts_per_switch` of them joined to the first switch, the next ones to the next, and no
/// other cables. Switches are called prefix0, prefix1, ….
Fabric hosts_on_switches(int hosts, int hosts_per_switch, const LinkOptions& link, int switches,
                         const std::string& prefix);

}  // namespace starling
