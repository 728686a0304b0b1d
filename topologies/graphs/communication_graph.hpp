#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/types.hpp"
#include "topologies/graphs/communication_graph_options.hpp"

namespace starling {

/// Properties of a CommunicationGraph.
struct CommunicationGraphTraits {
  int workers = 1;
  /// The number of iterations after which the graph repeats.
  int period = 1;
  /// A worker that sends to a neighbor also receives from it in the same iteration.
  bool is_symmetric = true;
  /// In every iteration the workers form disjoint groups in which all are joined to all, so that an
  /// all-reduce in each group does the averaging.
  bool is_grouped = false;
  /// The graph came with mixing weights.
  bool has_weights = false;
};

/// Who averages with whom in each iteration: a directed edge from each sender to each receiver.
///
/// Ranks are 0 … workers−1, iterations count from 0. Lists of neighbors are in ascending order and leave out
/// the worker itself. Kinds with a closed form compute them in O(degree) time, with O(log workers) memory for
/// the whole graph (O(workers) for complete); other kinds store their edges.
class CommunicationGraph {
 public:
  virtual ~CommunicationGraph() = default;

  int workers() const { return traits_.workers; }
  int period() const { return traits_.period; }
  bool is_symmetric() const { return traits_.is_symmetric; }
  bool is_grouped() const { return traits_.is_grouped; }
  bool has_weights() const { return traits_.has_weights; }

  /// Replaces the contents of `found` by the ranks that the worker sends to. Allocates only if the capacity
  /// of `found` does not suffice.
  virtual void find_out_neighbors(Rank rank, std::int64_t iteration, std::vector<Rank>& found) const = 0;
  /// The same for the ranks that the worker receives from.
  virtual void find_in_neighbors(Rank rank, std::int64_t iteration, std::vector<Rank>& found) const = 0;
  std::vector<Rank> out_neighbors(Rank rank, std::int64_t iteration) const;
  std::vector<Rank> in_neighbors(Rank rank, std::int64_t iteration) const;
  virtual int out_degree(Rank rank, std::int64_t iteration) const = 0;
  virtual int in_degree(Rank rank, std::int64_t iteration) const = 0;

  /// The ranks that the worker sends to and receives from. The graph must be symmetric.
  std::vector<Rank> neighbors(Rank rank, std::int64_t iteration) const;

  /// The worker's group, itself included, in ascending order. The graph must be grouped.
  std::vector<Rank> group(Rank rank, std::int64_t iteration) const;

  /// The sizes of a grid; empty for other graphs.
  virtual std::vector<int> dimensions() const { return {}; }

  /// The weight by which `destination` multiplies the model of `source`, or its own model if both are the
  /// same; 0 if there is no edge. The graph must have weights.
  virtual double given_weight(Rank destination, Rank source) const;

 protected:
  explicit CommunicationGraph(const CommunicationGraphTraits& traits) : traits_(traits) {}
  int phase(std::int64_t iteration) const { return static_cast<int>(iteration % traits_.period); }

 private:
  CommunicationGraphTraits traits_;
};

/// A graph whose edges run both ways; subclasses define find_out_neighbors() only.
class SymmetricGraph : public CommunicationGraph {
 public:
  int out_degree(Rank rank, std::int64_t iteration) const override;
  void find_in_neighbors(Rank rank, std::int64_t iteration, std::vector<Rank>& found) const final;
  int in_degree(Rank rank, std::int64_t iteration) const final;

 protected:
  using CommunicationGraph::CommunicationGraph;
};

/// @throws std::invalid_argument if the options contradict each other or the number of workers, if a file
/// cannot be used (the text names file and line), or if a graph from a file or a list of edges, or each of
/// 100 random graphs drawn, is not connected.
std::unique_ptr<CommunicationGraph> build_communication_graph(const CommunicationGraphOptions& options);

/// The kind of that name with its defaults; "fully_connected" is another name of complete. Nothing if there
/// is no such kind.
std::optional<CommunicationGraphKind> communication_graph_kind(std::string_view name);

/// Whether every worker reaches every other along the edges of one period, in any order of iterations.
/// O(period · edges) time at most, O(workers) memory.
bool is_connected(const CommunicationGraph& graph);

/// @throws std::invalid_argument if the graph is not connected; the text begins with `where` and names two
/// workers.
void check_connected(std::string_view where, const CommunicationGraph& graph);

}  // namespace starling
