#include "topologies/networks/breadth_first_router.hpp"

#include <algorithm>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/range/iterator_range.hpp>
#include <cstddef>
#include <deque>
#include <limits>
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
    const Distances& distances = kept_distances_to(destination);
    const int nearer = distances[static_cast<std::size_t>(vertex)] - 1;
    for (const int neighbor : boost::make_iterator_range(boost::adjacent_vertices(vertex, graph_))) {
      if (distances[static_cast<std::size_t>(neighbor)] == nearer) next.push_back(neighbor);
    }
  }

  int diameter() const override {
    int links = 0;
    for (int host = 0; host < hosts_; ++host) {
      const Distances distances = distances_to(graph_, host);
      links = std::max(links, *std::max_element(distances.begin(), distances.begin() + hosts_));
    }
    return links;
  }

 private:
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
