#include "algorithms/training/gossip/graph_mixing.hpp"

#include <algorithm>

namespace starling {
namespace {

/// Ascending neighbors, those after `rank` first.
std::vector<MixingNeighbor> from_rank_on(std::vector<MixingNeighbor> neighbors, Rank rank) {
  std::ranges::rotate(neighbors, std::ranges::find_if(neighbors, [&](const MixingNeighbor& neighbor) {
                        return neighbor.rank > rank;
                      }));
  return neighbors;
}

}  // namespace

std::vector<MixingNeighbor> GraphMixing::in_neighbors(Rank rank, std::int64_t iteration) const {
  std::vector<MixingNeighbor> sources = from_rank_on(matrix_.received_weights(rank, iteration), rank);
  std::ranges::reverse(sources);
  return sources;
}

std::vector<MixingNeighbor> GraphMixing::out_neighbors(Rank rank, std::int64_t iteration) const {
  return from_rank_on(matrix_.sent_weights(rank, iteration), rank);
}

}  // namespace starling
