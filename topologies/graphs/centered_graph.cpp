#include "topologies/graphs/centered_graph.hpp"

namespace starling {

CenteredGraph::CenteredGraph(int workers, Rank center)
    : SymmetricGraph({.workers = workers, .is_grouped = workers <= 2}), center_(center) {}

std::vector<Rank> CenteredGraph::out_neighbors(Rank rank, std::int64_t) const {
  if (rank != center_) return {center_};
  std::vector<Rank> found;
  for (Rank other = 0; other < workers(); ++other) {
    if (other != center_) found.push_back(other);
  }
  return found;
}

int CenteredGraph::out_degree(Rank rank, std::int64_t) const { return rank == center_ ? workers() - 1 : 1; }

}  // namespace starling
