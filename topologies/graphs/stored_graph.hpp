#pragma once

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "topologies/graphs/communication_graph.hpp"

namespace starling {

/// A graph without a closed form, the same in every iteration: keeps its edges (Boost.Graph, compressed
/// rows).
class StoredGraph final : public CommunicationGraph {
 public:
  /// Directed edges without repetition; with weights on all of them or none. Edges from a worker to itself
  /// only give its own weight.
  StoredGraph(int workers, std::vector<GraphEdge> edges);

  void find_out_neighbors(Rank rank, std::int64_t iteration, std::vector<Rank>& found) const override;
  void find_in_neighbors(Rank rank, std::int64_t iteration, std::vector<Rank>& found) const override;
  int out_degree(Rank rank, std::int64_t iteration) const override;
  int in_degree(Rank rank, std::int64_t iteration) const override;
  double given_weight(Rank destination, Rank source) const override;

 private:
  using Edges = boost::compressed_sparse_row_graph<boost::bidirectionalS, boost::no_property, double,
                                                   boost::no_property, int, std::size_t>;
  Edges edges_;
  /// Empty where the graph has no weights.
  std::vector<double> own_weights_;
};

/// Says where an edge was given, for an error text.
using PlaceOfEdge = std::function<std::string(std::size_t)>;

/// The edges as directed ones, each undirected edge as two.
/// @throws std::invalid_argument if a rank is not of this world, an edge is repeated, weights are negative or
/// not finite or on some edges only, or a worker is joined with itself without a weight.
std::vector<GraphEdge> checked_edges(int workers, std::span<const GraphEdge> edges, bool is_directed,
                                     const PlaceOfEdge& place_of);

}  // namespace starling
