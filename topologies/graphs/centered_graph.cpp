#include "topologies/graphs/centered_graph.hpp"

namespace starling {

CenteredGraph::CenteredGraph(int workers, Rank center)
    : SymmetricGraph({.workers = workers, .is_grouped = workers <= 2}), center_(center) {}

void CenteredGraph::find_out_neighbors(Rank rank, std::int64_t, std::vector<Rank>& found) const {
  found.clear();
  if (rank != center_) return found.push_back(center_);
  for (Rank other = 0; other < workers(); ++other) {
    if (other != center_) found.push_back(other);
  }
}

int CenteredGraph::out_degree(Rank rank, std::int64_t) const { return rank == center_ ? workers() - 1 : 1; }

}  // namespace starling
