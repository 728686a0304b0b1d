#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/types.hpp"
#include "topologies/graphs/communication_graph_options.hpp"

namespace starling {

/// What holds for a whole CommunicationGraph.
struct CommunicationGraphTraits {
  int workers = 1;
  /// After so many iterations the graph repeats.
  int period = 1;
  /// Whoever sends to a neighbor receives from it in the same iteration.
  bool is_symmetric = true;
  /// In every iteration the workers fall into groups in which everyone is joined with everyone, so that an
  /// all-reduce in each group does the averaging.
  bool is_grouped = false;
  /// The mixing matrix was given together with the graph.
  bool has_weights = false;
};

/// Who averages with whom, in each iteration: a directed edge from each sender to each receiver.
///
/// Ranks are 0 … workers−1, iterations count from 0. Lists of neighbors ascend and leave out the worker
/// itself. They come from closed forms where the kind has one, in O(degree) time and O(log workers) memory
/// for the whole graph (O(workers) for complete); other kinds keep their edges.
class CommunicationGraph {
 public:
  virtual ~CommunicationGraph() = default;

  int workers() const { return traits_.workers; }
  int period() const { return traits_.period; }
  bool is_symmetric() const { return traits_.is_symmetric; }
  bool is_grouped() const { return traits_.is_grouped; }
  bool has_weights() const { return traits_.has_weights; }

  /// Writes whom the worker sends to over `found`, without memory of its own where that has room.
  virtual void find_out_neighbors(Rank rank, std::int64_t iteration, std::vector<Rank>& found) const = 0;
  /// Whom the worker receives from.
  virtual void find_in_neighbors(Rank rank, std::int64_t iteration, std::vector<Rank>& found) const = 0;
  std::vector<Rank> out_neighbors(Rank rank, std::int64_t iteration) const;
  std::vector<Rank> in_neighbors(Rank rank, std::int64_t iteration) const;
  virtual int out_degree(Rank rank, std::int64_t iteration) const = 0;
  virtual int in_degree(Rank rank, std::int64_t iteration) const = 0;

  /// Both of the above. The graph must be symmetric.
  std::vector<Rank> neighbors(Rank rank, std::int64_t iteration) const;

  /// The worker's group with itself, ascending. The graph must be grouped.
  std::vector<Rank> group(Rank rank, std::int64_t iteration) const;

  /// The sizes of a grid; empty of other graphs.
  virtual std::vector<int> dimensions() const { return {}; }

  /// What `destination` multiplies `source`'s model with, and its own where both are the same. The graph must
  /// have weights; 0 where there is no edge.
  virtual double given_weight(Rank destination, Rank source) const;

 protected:
  explicit CommunicationGraph(const CommunicationGraphTraits& traits) : traits_(traits) {}
  int phase(std::int64_t iteration) const { return static_cast<int>(iteration % traits_.period); }

 private:
  CommunicationGraphTraits traits_;
};

/// A graph in which edges run both ways: only one list of neighbors to define.
class SymmetricGraph : public CommunicationGraph {
 public:
  int out_degree(Rank rank, std::int64_t iteration) const override;
  void find_in_neighbors(Rank rank, std::int64_t iteration, std::vector<Rank>& found) const final;
  int in_degree(Rank rank, std::int64_t iteration) const final;

 protected:
  using CommunicationGraph::CommunicationGraph;
};

/// @throws std::invalid_argument if the options do not fit each other or the number of workers, a file cannot
/// be used (the text names file and line), or the graph of a file, of given edges or of random edges is not
/// connected.
std::unique_ptr<CommunicationGraph> build_communication_graph(const CommunicationGraphOptions& options);

/// The kind with all its defaults; "fully_connected" is another name of complete. Nothing if there is no such
/// kind.
std::optional<CommunicationGraphKind> communication_graph_kind(std::string_view name);

/// Whether every worker reaches every other over the edges of one period. O(period · edges) time
/// at most, O(workers) memory.
bool is_connected(const CommunicationGraph& graph);

/// @throws std::invalid_argument if the graph is not connected; the text begins with `where` and names two
/// workers.
void check_connected(std::string_view where, const CommunicationGraph& graph);

}  // namespace starling
