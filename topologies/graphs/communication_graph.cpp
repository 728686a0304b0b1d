#include "topologies/graphs/communication_graph.hpp"

#include <algorithm>
#include <cstddef>

#include "base/errors.hpp"
#include "base/options/option_kinds.hpp"
#include "base/reject.hpp"

namespace starling {
namespace {

using FindNeighbors = void (CommunicationGraph::*)(Rank, std::int64_t, std::vector<Rank>&) const;

/// The workers that worker 0 reaches along out-edges or, with find_in_neighbors, that reach it. Stops when
/// all have been found.
std::vector<bool> reached_from_first(const CommunicationGraph& graph, FindNeighbors find_neighbors) {
  std::vector<bool> is_found(static_cast<std::size_t>(graph.workers()));
  std::vector<Rank> found = {0};
  std::vector<Rank> neighbors;
  is_found[0] = true;
  for (std::size_t next = 0; next < found.size(); ++next) {
    for (int iteration = 0; iteration < graph.period(); ++iteration) {
      if (found.size() == is_found.size()) return is_found;
      (graph.*find_neighbors)(found[next], iteration, neighbors);
      for (const Rank neighbor : neighbors) {
        const auto index = static_cast<std::size_t>(neighbor);
        if (!is_found[index]) found.push_back(neighbor);
        is_found[index] = true;
      }
    }
  }
  return is_found;
}

/// The first worker that worker 0 does not reach, or that does not reach worker 0; nothing if the graph is
/// connected.
std::optional<Rank> first_lost_worker(const CommunicationGraph& graph) {
  const std::vector<bool> is_reached = reached_from_first(graph, &CommunicationGraph::find_out_neighbors);
  const std::vector<bool> reaches = reached_from_first(graph, &CommunicationGraph::find_in_neighbors);
  for (Rank rank = 0; rank < graph.workers(); ++rank) {
    const auto index = static_cast<std::size_t>(rank);
    if (!is_reached[index] || !reaches[index]) return rank;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Rank> CommunicationGraph::out_neighbors(Rank rank, std::int64_t iteration) const {
  std::vector<Rank> found;
  find_out_neighbors(rank, iteration, found);
  return found;
}

std::vector<Rank> CommunicationGraph::in_neighbors(Rank rank, std::int64_t iteration) const {
  std::vector<Rank> found;
  find_in_neighbors(rank, iteration, found);
  return found;
}

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

void SymmetricGraph::find_in_neighbors(Rank rank, std::int64_t iteration, std::vector<Rank>& found) const {
  find_out_neighbors(rank, iteration, found);
}

int SymmetricGraph::in_degree(Rank rank, std::int64_t iteration) const { return out_degree(rank, iteration); }

std::optional<CommunicationGraphKind> communication_graph_kind(std::string_view name) {
  if (name == "fully_connected") return CompleteGraph{};
  return of_kind<CommunicationGraphKind>(name);
}

bool is_connected(const CommunicationGraph& graph) { return !first_lost_worker(graph).has_value(); }

void check_connected(std::string_view where, const CommunicationGraph& graph) {
  const std::optional<Rank> lost = first_lost_worker(graph);
  if (!lost) return;
  reject("{}: worker 0 and worker {} do not reach each other; every worker must reach every other", where,
         *lost);
}

}  // namespace starling
