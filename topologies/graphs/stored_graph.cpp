#include "topologies/graphs/stored_graph.hpp"

#include <algorithm>
#include <boost/range/iterator_range.hpp>
#include <cmath>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/numbers/pair_of.hpp"
#include "base/reject.hpp"

namespace starling {
namespace {

bool has_reverse(const std::vector<GraphEdge>& sorted_edges, const GraphEdge& edge) {
  const auto ends = [](const GraphEdge& of) { return std::pair(of.source, of.destination); };
  const GraphEdge reverse = {edge.destination, edge.source, {}};
  return std::binary_search(sorted_edges.begin(), sorted_edges.end(), reverse,
                            [&](const GraphEdge& a, const GraphEdge& b) { return ends(a) < ends(b); });
}

std::vector<GraphEdge> sorted(std::vector<GraphEdge> edges) {
  std::sort(edges.begin(), edges.end(), [](const GraphEdge& a, const GraphEdge& b) {
    return std::tie(a.source, a.destination) < std::tie(b.source, b.destination);
  });
  return edges;
}

CommunicationGraphTraits traits_of(int workers, const std::vector<GraphEdge>& sorted_edges) {
  const bool is_symmetric = std::all_of(sorted_edges.begin(), sorted_edges.end(),
                                        [&](const auto& edge) { return has_reverse(sorted_edges, edge); });
  const bool has_weights = !sorted_edges.empty() && sorted_edges.front().weight.has_value();
  return {.workers = workers, .is_symmetric = is_symmetric, .has_weights = has_weights};
}

template <typename Edges>
Edges compressed(int workers, const std::vector<GraphEdge>& sorted_edges) {
  std::vector<std::pair<int, int>> ends;
  std::vector<double> weights;
  for (const GraphEdge& edge : sorted_edges) {
    if (edge.source == edge.destination) continue;
    ends.emplace_back(edge.source, edge.destination);
    weights.push_back(edge.weight.value_or(0));
  }
  return Edges(boost::edges_are_unsorted_multi_pass, ends.begin(), ends.end(), weights.begin(), workers);
}

/// The weight of each worker's own model: as given, or 1 − Σ (weights of the edges to it).
std::vector<double> own_weights_of(int workers, const std::vector<GraphEdge>& edges) {
  std::vector<double> received(static_cast<std::size_t>(workers), 0);
  std::vector<double> own(static_cast<std::size_t>(workers), -1);
  for (const GraphEdge& edge : edges) {
    const auto destination = static_cast<std::size_t>(edge.destination);
    if (edge.source == edge.destination) own[destination] = edge.weight.value();
    if (edge.source != edge.destination) received[destination] += edge.weight.value();
  }
  for (std::size_t rank = 0; rank < own.size(); ++rank) {
    if (own[rank] < 0) own[rank] = 1 - received[rank];
  }
  return own;
}

void check_edge(int workers, const GraphEdge& edge, bool has_weights, const std::string& place) {
  for (const Rank rank : {edge.source, edge.destination}) {
    if (rank < 0 || rank >= workers) {
      reject("{}: there is no worker {}; ranks are 0 to {}", place, rank, workers - 1);
    }
  }
  if (edge.weight.has_value() != has_weights) {
    reject("{}: the edge has {} weight; either all edges have one or none", place, edge.weight ? "a" : "no");
  }
  if (edge.weight && (!(*edge.weight >= 0) || !std::isfinite(*edge.weight))) {
    reject("{}: the weight must be at least 0 and finite, got {}", place, *edge.weight);
  }
  if (edge.source != edge.destination && edge.weight == 0.0) {
    reject("{}: the edge has weight 0; leave out an edge whose models are not averaged", place);
  }
  if (edge.source == edge.destination && !edge.weight) {
    reject("{}: an edge from worker {} to itself needs a weight, that of its own model", place, edge.source);
  }
}

}  // namespace

StoredGraph::StoredGraph(int workers, std::vector<GraphEdge> edges)
    : CommunicationGraph(traits_of(workers, edges = sorted(std::move(edges)))),
      edges_(compressed<Edges>(workers, edges)) {
  if (has_weights()) own_weights_ = own_weights_of(workers, edges);
}

void StoredGraph::find_out_neighbors(Rank rank, std::int64_t, std::vector<Rank>& found) const {
  const auto [first, last] = boost::adjacent_vertices(rank, edges_);
  found.assign(first, last);
}

void StoredGraph::find_in_neighbors(Rank rank, std::int64_t, std::vector<Rank>& found) const {
  found.clear();
  for (const auto& edge : boost::make_iterator_range(boost::in_edges(rank, edges_))) {
    found.push_back(boost::source(edge, edges_));
  }
  std::sort(found.begin(), found.end());
}

int StoredGraph::out_degree(Rank rank, std::int64_t) const {
  return static_cast<int>(boost::out_degree(rank, edges_));
}

int StoredGraph::in_degree(Rank rank, std::int64_t) const {
  return static_cast<int>(boost::in_degree(rank, edges_));
}

double StoredGraph::given_weight(Rank destination, Rank source) const {
  if (!has_weights()) return CommunicationGraph::given_weight(destination, source);
  if (destination == source) return own_weights_[static_cast<std::size_t>(source)];
  const auto [edge, exists] = boost::edge(source, destination, edges_);
  return exists ? edges_[edge] : 0;
}

std::vector<GraphEdge> checked_edges(int workers, std::span<const GraphEdge> edges, bool is_directed,
                                     const PlaceOfEdge& place_of) {
  std::vector<GraphEdge> directed;
  std::unordered_map<std::uint64_t, std::size_t> first_given;
  const auto append = [&](const GraphEdge& edge, std::size_t index) {
    const auto [first, is_new] = first_given.emplace(pair_of(edge.source, edge.destination), index);
    if (!is_new) {
      reject("{}: the edge from worker {} to worker {} is a duplicate of the one at {}", place_of(index),
             edge.source, edge.destination, place_of(first->second));
    }
    directed.push_back(edge);
  };
  for (std::size_t index = 0; index < edges.size(); ++index) {
    const GraphEdge& edge = edges[index];
    check_edge(workers, edge, edges.front().weight.has_value(), place_of(index));
    append(edge, index);
    if (!is_directed && edge.source != edge.destination) {
      append({edge.destination, edge.source, edge.weight}, index);
    }
  }
  return directed;
}

}  // namespace starling
