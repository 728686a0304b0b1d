#pragma once

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "topologies/graphs/communication_graph.hpp"

namespace starling {

/// A graph without a closed form, the same in every iteration: stores its edges (Boost.Graph, compressed
/// sparse rows).
class StoredGraph final : public CommunicationGraph {
 public:
  /// `edges` are directed, without duplicates, and have weights on all of them or none. An edge from a worker
  /// to itself only gives the weight of its own model.
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
  /// Empty if the graph has no weights.
  std::vector<double> own_weights_;
};

/// Where the edge with that index was given, for error messages.
using PlaceOfEdge = std::function<std::string(std::size_t)>;

/// The edges as directed edges: two for each undirected edge.
/// @throws std::invalid_argument if a rank is out of range, an edge is repeated, weights are negative,
/// infinite or on some edges only, an edge between two workers has weight 0, or a worker is joined to itself
/// without a weight.
std::vector<GraphEdge> checked_edges(int workers, std::span<const GraphEdge> edges, bool is_directed,
                                     const PlaceOfEdge& place_of);

}  // namespace starling
