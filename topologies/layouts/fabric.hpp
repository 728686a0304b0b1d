#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "topologies/layouts/link_options.hpp"

namespace starling {

enum class VertexKind { host, network_switch, worker, nic };

/// An end point of links. The order in a network is: hosts, switches, workers (only if hosts hold several;
/// otherwise a worker shares the vertex of its host), network cards (only if they have links of their own).
struct Vertex {
  VertexKind kind = VertexKind::host;
  std::string name;
};

/// A full-duplex cable between two vertices: one link in each direction.
struct Cable {
  int from = 0;
  int to = 0;
  LinkOptions link;
  /// The link from `to` to `from`, if it differs from `link`.
  std::optional<LinkOptions> back = {};
};

/// Where a route between two hosts begins and ends.
struct RouteEnds {
  int source_host = 0;
  int destination_host = 0;
  /// The network cards used, numbered within their host.
  int source_nic = 0;
  int destination_nic = 0;
  /// The network's hash_seed, for routers that draw by themselves.
  std::uint64_t hash_seed = 0;
};

/// One link of a route: the vertex that it leads to, and its number among parallel links, from 0.
struct RouteStep {
  int to_vertex = 0;
  int parallel = 0;
};

/// Computes the paths of one fabric: shortest by number of links, unless its kind says otherwise.
class Router {
 public:
  virtual ~Router() = default;

  /// Appends every neighbor of `vertex` that lies on a shortest path to the host `destination`, each once, in
  /// any order. `vertex` must differ from `destination`.
  virtual void next_vertices(int vertex, int destination, std::vector<int>& next) const = 0;

  /// Appends the next vertices of a route from ends.source_host at `vertex`, for kinds whose paths depend on
  /// the source.
  virtual void next_on_route(const RouteEnds& ends, int vertex, std::vector<int>& next) const {
    next_vertices(vertex, ends.destination_host, next);
  }

  /// The complete route if a file lists the routes; otherwise empty.
  virtual std::span<const RouteStep> given_route(const RouteEnds& /*ends*/) const { return {}; }

  /// The greatest distance between two hosts, in links.
  virtual int diameter() const = 0;

  virtual bool takes_shortest_paths() const { return true; }
};

/// The blueprint of a network: vertices (hosts first), cables between them, and how messages are routed.
struct Fabric {
  int hosts = 0;
  std::vector<Vertex> vertices;
  std::vector<Cable> cables;
  /// Null: shortest paths are found by breadth-first search.
  std::unique_ptr<Router> router;
  /// For that search: whether paths may pass through hosts, and the number of switches, counted from the
  /// first, that are preferred to other vertices at the same distance.
  bool hosts_forward = true;
  int preferred_switches = 0;
  /// The sizes of the grid that the hosts form, row-major; empty if they form none.
  std::vector<int> dimensions;
  /// With several network cards per host, a route ends at the card of the receiving worker.
  int nics_per_host = 1;
  /// Whether a message for a card on another rail changes rails inside the host of its sender (PXN).
  bool changes_nics_inside_hosts = false;
};

/// Appends `count` vertices called prefix0, prefix1, ….
void append_vertices(Fabric& fabric, VertexKind kind, int count, const std::string& prefix);

/// Hosts and switches: the first `hosts_per_switch` hosts are joined to the first switch, the next ones to
/// the next. There are no cables between switches yet. Switches are called prefix0, prefix1, ….
Fabric hosts_on_switches(int hosts, int hosts_per_switch, const LinkOptions& link, int switches,
                         const std::string& prefix);

}  // namespace starling
