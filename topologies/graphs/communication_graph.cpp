#include "topologies/graphs/communication_graph.hpp"

#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/property_map/property_map.hpp>
#include <cstddef>
#include <utility>

#include "base/errors.hpp"
#include "base/option_kinds.hpp"
#include "base/reject.hpp"

namespace starling {
namespace {

using UnionGraph =
    boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                       boost::no_property, int, std::size_t>;

UnionGraph union_over_period(const CommunicationGraph& graph) {
  std::vector<std::pair<int, int>> edges;
  for (int iteration = 0; iteration < graph.period(); ++iteration) {
    for (Rank rank = 0; rank < graph.workers(); ++rank) {
      for (const Rank neighbor : graph.out_neighbors(rank, iteration)) edges.emplace_back(rank, neighbor);
    }
  }
  return UnionGraph(boost::edges_are_unsorted_multi_pass, edges.begin(), edges.end(), graph.workers());
}

/// A worker that is not reached from worker 0 or does not reach it; nothing if the graph is connected.
std::optional<Rank> first_lost_worker(const CommunicationGraph& graph) {
  const UnionGraph edges = union_over_period(graph);
  std::vector<int> components(static_cast<std::size_t>(graph.workers()));
  boost::strong_components(
      edges, boost::make_iterator_property_map(components.begin(), get(boost::vertex_index, edges)));
  const auto lost = std::find_if(components.begin(), components.end(),
                                 [&](int component) { return component != components.front(); });
  if (lost == components.end()) return std::nullopt;
  return static_cast<Rank>(lost - components.begin());
}

}  // namespace

std::vector<Rank> CommunicationGraph::neighbors(Rank rank, std::int64_t iteration) const {
  STARLING_INVARIANT(is_symmetric());
  return out_neighbors(rank, iteration);
}

std::vector<Rank> CommunicationGraph::group(Rank rank, std::int64_t iteration) const {
  STARLING_INVARIANT(is_grouped());
  std::vector<Rank> members = out_neighbors(rank, iteration);
  members.insert(std::lower_bound(members.begin(), members.end(), rank), rank);
  return members;
}

double CommunicationGraph::given_weight(Rank, Rank) const {
  STARLING_INVARIANT(has_weights());
  return 0;
}

int SymmetricGraph::out_degree(Rank rank, std::int64_t iteration) const {
  return static_cast<int>(out_neighbors(rank, iteration).size());
}

std::vector<Rank> SymmetricGraph::in_neighbors(Rank rank, std::int64_t iteration) const {
  return out_neighbors(rank, iteration);
}

int SymmetricGraph::in_degree(Rank rank, std::int64_t iteration) const { return out_degree(rank, iteration); }

std::vector<std::string> communication_graph_names() {
  std::vector<std::string> names;
  for (const Kind& kind : kinds_of<CommunicationGraphKind>()) names.push_back(kind.name);
  return names;
}

std::optional<CommunicationGraphKind> communication_graph_kind(std::string_view name) {
  if (name == "fully_connected") return CompleteGraph{};
  return of_kind<CommunicationGraphKind>(name);
}

bool is_connected(const CommunicationGraph& graph) { return !first_lost_worker(graph).has_value(); }

void check_connected(std::string_view where, const CommunicationGraph& graph) {
  const std::optional<Rank> lost = first_lost_worker(graph);
  if (!lost) return;
  reject("{}: no way leads from worker 0 to worker {} and back; every worker must reach every other", where,
         *lost);
}

}  // namespace starling
