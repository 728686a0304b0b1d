#include "topologies/centred_graph.hpp"

namespace starling {

CentredGraph::CentredGraph(int workers, Rank centre)
    : SymmetricGraph({.workers = workers, .is_grouped = workers <= 2}), centre_(centre) {}

std::vector<Rank> CentredGraph::out_neighbours(Rank rank, std::int64_t) const {
  if (rank != centre_) return {centre_};
  std::vector<Rank> found;
  for (Rank other = 0; other < workers(); ++other) {
    if (other != centre_) found.push_back(other);
  }
  return found;
}

int CentredGraph::out_degree(Rank rank, std::int64_t) const { return rank == centre_ ? workers() - 1 : 1; }

}  // namespace starling
