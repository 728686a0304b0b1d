#include "topologies/networks/breadth_first_router.hpp"

#include <algorithm>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/range/iterator_range.hpp>
#include <cstddef>
#include <deque>
#include <limits>
#include <set>
#include <unordered_map>
#include <utility>

#include "topologies/layouts/option_checks.hpp"

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

/// From every vertex to `destination`, in links. Every cable runs both ways, so this is also the way from it.
Distances distances_to(const Graph& graph, int destination) {
  Distances distances(static_cast<std::size_t>(boost::num_vertices(graph)), unreachable);
  distances[static_cast<std::size_t>(destination)] = 0;
  const auto recorder = boost::record_distances(distances.data(), boost::on_tree_edge());
  boost::breadth_first_search(graph, destination, boost::visitor(boost::make_bfs_visitor(recorder)));
  return distances;
}

void check_connected(const Graph& graph, const Fabric& fabric) {
  const Distances distances = distances_to(graph, 0);
  const auto lost = std::find(distances.begin(), distances.begin() + fabric.hosts, unreachable);
  if (lost == distances.begin() + fabric.hosts) return;
  reject("graph: no path joins {} and {}; every two hosts must be joined", fabric.vertices.front().name,
         fabric.vertices[static_cast<std::size_t>(lost - distances.begin())].name);
}

class BreadthFirstRouter final : public Router {
 public:
  BreadthFirstRouter(Graph graph, int hosts, std::size_t kept_bytes)
      : graph_(std::move(graph)), hosts_(hosts), kept_bytes_(kept_bytes) {}

  void next_vertices(int vertex, int destination, std::vector<int>& next) const override {
    const int anchor = anchor_of(destination);
    if (vertex == anchor) {
      next.push_back(destination);
      return;
    }
    const Distances& distances = kept_distances_to(anchor);
    const int nearer = distances[static_cast<std::size_t>(vertex)] - 1;
    for (const int neighbor : boost::make_iterator_range(boost::adjacent_vertices(vertex, graph_))) {
      if (distances[static_cast<std::size_t>(neighbor)] == nearer) next.push_back(neighbor);
    }
  }

  int diameter() const override {
    if (hosts_ == 1) return 0;
    int links = 0;
    std::set<std::pair<int, bool>> seen;
    for (int host = 0; host < hosts_; ++host) {
      const int anchor = anchor_of(host);
      if (!seen.emplace(anchor, anchor == host).second) continue;
      const Distances distances = distances_to(graph_, anchor);
      const auto end = distances.begin() + hosts_;
      int farthest = *std::max_element(distances.begin(), end);
      // The host itself is a link from its anchor; where no other is, the anchor is the only other host.
      if (anchor != host && farthest == 1 && std::count(distances.begin(), end, 1) == 1) farthest = 0;
      links = std::max(links, farthest + (anchor != host));
    }
    return links;
  }

 private:
  /// What a host with one neighbor is reached over: all such hosts of a switch take one search. Else itself.
  int anchor_of(int host) const {
    const auto neighbors = boost::adjacent_vertices(host, graph_);
    return neighbors.second - neighbors.first == 1 ? *neighbors.first : host;
  }

  const Distances& kept_distances_to(int destination) const {
    const auto kept = kept_.find(destination);
    if (kept != kept_.end()) return kept->second;
    const auto vertices = static_cast<std::size_t>(boost::num_vertices(graph_));
    if ((kept_.size() + 1) * vertices * sizeof(int) > kept_bytes_ && !kept_.empty()) {
      kept_.erase(oldest_first_.front());
      oldest_first_.pop_front();
    }
    oldest_first_.push_back(destination);
    return kept_.emplace(destination, distances_to(graph_, destination)).first->second;
  }

  Graph graph_;
  int hosts_;
  std::size_t kept_bytes_;
  mutable std::unordered_map<int, Distances> kept_;
  mutable std::deque<int> oldest_first_;
};

}  // namespace

std::unique_ptr<Router> breadth_first_router(const Fabric& fabric, std::size_t kept_bytes) {
  Graph graph = graph_of(fabric);
  check_connected(graph, fabric);
  return std::make_unique<BreadthFirstRouter>(std::move(graph), fabric.hosts, kept_bytes);
}

}  // namespace starling
