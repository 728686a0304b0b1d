#include "topologies/networks/breadth_first_router.hpp"

#include <algorithm>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/filtered_graph.hpp>
#include <boost/range/iterator_range.hpp>
#include <cstddef>
#include <deque>
#include <limits>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/reject.hpp"

namespace starling {
namespace {

using Graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                                 boost::no_property, int, int>;
using Distances = std::vector<int>;

constexpr int unreachable = std::numeric_limits<int>::max();

Graph graph_of(const Fabric& fabric) {
  std::vector<std::pair<int, int>> edges;
  edges.reserve(2 * fabric.cables.size());
  for (const Cable& cable : fabric.cables) {
    edges.emplace_back(cable.from, cable.to);
    edges.emplace_back(cable.to, cable.from);
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return Graph(boost::edges_are_sorted, edges.begin(), edges.end(), static_cast<int>(fabric.vertices.size()));
}

/// The graph, and which of its vertices forward: all, or the switches only.
struct ForwardingGraph {
  Graph graph;
  int hosts;
  bool hosts_forward;

  bool can_forward(int vertex) const { return hosts_forward || vertex >= hosts; }
};

/// Filters the edges that a search from vertex `first` may take: those that leave it or a vertex that
/// forwards.
struct MayLeave {
  const ForwardingGraph* forwarding = nullptr;
  int first = 0;

  bool operator()(const Graph::edge_descriptor& edge) const {
    const int vertex = boost::source(edge, forwarding->graph);
    return vertex == first || forwarding->can_forward(vertex);
  }
};

/// The distance in links from every vertex to `destination`. Cables are bidirectional, so the search starts
/// at the destination.
Distances distances_to(const ForwardingGraph& forwarding, int destination) {
  const boost::filtered_graph<Graph, MayLeave> graph(forwarding.graph, MayLeave{&forwarding, destination});
  Distances distances(static_cast<std::size_t>(boost::num_vertices(forwarding.graph)), unreachable);
  distances[static_cast<std::size_t>(destination)] = 0;
  const auto recorder = boost::record_distances(distances.data(), boost::on_tree_edge());
  boost::breadth_first_search(graph, destination, boost::visitor(boost::make_bfs_visitor(recorder)));
  return distances;
}

/// The first host without a path; `hosts` if all have one.
int lost_host(const Distances& distances, int hosts) {
  return static_cast<int>(std::find(distances.begin(), distances.begin() + hosts, unreachable) -
                          distances.begin());
}

/// Whether one connected component of switches (without the hosts) reaches all hosts. Such a component has a
/// switch next to host 0, so searches from its neighbors suffice.
bool do_switches_join_all(const ForwardingGraph& forwarding) {
  std::vector<bool> is_seen(static_cast<std::size_t>(boost::num_vertices(forwarding.graph)));
  for (const auto neighbor : boost::make_iterator_range(boost::adjacent_vertices(0, forwarding.graph))) {
    const auto vertex = static_cast<std::size_t>(neighbor);
    if (static_cast<int>(vertex) < forwarding.hosts || is_seen[vertex]) continue;
    const Distances distances = distances_to(forwarding, static_cast<int>(vertex));
    if (lost_host(distances, forwarding.hosts) == forwarding.hosts) return true;
    for (std::size_t other = 0; other < is_seen.size(); ++other)
      if (distances[other] != unreachable) is_seen[other] = true;
  }
  return false;
}

void check_connected(const ForwardingGraph& forwarding, const Fabric& fabric) {
  if (!forwarding.hosts_forward && do_switches_join_all(forwarding)) return;
  const int looked_at = forwarding.hosts_forward ? 1 : forwarding.hosts;
  for (int host = 0; host < looked_at; ++host) {
    const int lost = lost_host(distances_to(forwarding, host), forwarding.hosts);
    if (lost < forwarding.hosts)
      reject("no path connects {} and {}{}; there must be a path between every two hosts",
             fabric.vertices[static_cast<std::size_t>(host)].name,
             fabric.vertices[static_cast<std::size_t>(lost)].name,
             forwarding.hosts_forward ? "" : " except through other hosts, which do not forward");
  }
}

class BreadthFirstRouter final : public Router {
 public:
  BreadthFirstRouter(ForwardingGraph forwarding, int preferred_switches, std::size_t kept_bytes)
      : forwarding_(std::move(forwarding)),
        preferred_switches_(preferred_switches),
        kept_bytes_(kept_bytes) {}

  void next_vertices(int vertex, int destination, std::vector<int>& next) const override {
    const int anchor = anchor_of(destination);
    if (vertex == anchor) {
      next.push_back(destination);
      return;
    }
    const Distances& distances = kept_distances_to(anchor);
    const int nearer = distances[static_cast<std::size_t>(vertex)] - 1;
    const auto first = static_cast<std::ptrdiff_t>(next.size());
    for (const int neighbor :
         boost::make_iterator_range(boost::adjacent_vertices(vertex, forwarding_.graph))) {
      const bool can_forward = neighbor == anchor || forwarding_.can_forward(neighbor);
      if (can_forward && distances[static_cast<std::size_t>(neighbor)] == nearer) next.push_back(neighbor);
    }
    const auto is_other = [this](int neighbor) { return !is_preferred(neighbor); };
    if (preferred_switches_ > 0 && !std::all_of(next.begin() + first, next.end(), is_other))
      next.erase(std::remove_if(next.begin() + first, next.end(), is_other), next.end());
  }

  int diameter() const override {
    if (forwarding_.hosts == 1) return 0;
    int links = 0;
    std::set<std::pair<int, bool>> seen;
    for (int host = 0; host < forwarding_.hosts; ++host) {
      const int anchor = anchor_of(host);
      if (!seen.emplace(anchor, anchor == host).second) continue;
      const Distances distances = distances_to(forwarding_, anchor);
      const auto end = distances.begin() + forwarding_.hosts;
      int farthest = *std::max_element(distances.begin(), end);
      // The host itself is one link from its anchor; if no other host is, the anchor is the only other host.
      if (anchor != host && farthest == 1 && std::count(distances.begin(), end, 1) == 1) farthest = 0;
      links = std::max(links, farthest + (anchor != host));
    }
    return links;
  }

 private:
  /// The vertex that the search for a host starts from: the only neighbor of a host that has one, so that all
  /// such hosts of a switch share a search; else the host itself.
  int anchor_of(int host) const {
    const auto neighbors = boost::adjacent_vertices(host, forwarding_.graph);
    return neighbors.second - neighbors.first == 1 ? *neighbors.first : host;
  }

  const Distances& kept_distances_to(int destination) const {
    const auto kept = kept_.find(destination);
    if (kept != kept_.end()) return kept->second;
    const auto vertices = static_cast<std::size_t>(boost::num_vertices(forwarding_.graph));
    if ((kept_.size() + 1) * vertices * sizeof(int) > kept_bytes_ && !kept_.empty()) {
      kept_.erase(oldest_first_.front());
      oldest_first_.pop_front();
    }
    oldest_first_.push_back(destination);
    return kept_.emplace(destination, distances_to(forwarding_, destination)).first->second;
  }

  bool is_preferred(int vertex) const {
    return vertex >= forwarding_.hosts && vertex < forwarding_.hosts + preferred_switches_;
  }

  ForwardingGraph forwarding_;
  int preferred_switches_;
  std::size_t kept_bytes_;
  mutable std::unordered_map<int, Distances> kept_;
  mutable std::deque<int> oldest_first_;
};

}  // namespace

std::unique_ptr<Router> breadth_first_router(const Fabric& fabric, std::size_t kept_bytes) {
  ForwardingGraph forwarding{
      .graph = graph_of(fabric), .hosts = fabric.hosts, .hosts_forward = fabric.hosts_forward};
  check_connected(forwarding, fabric);
  return std::make_unique<BreadthFirstRouter>(std::move(forwarding), fabric.preferred_switches, kept_bytes);
}

}  // namespace starling
