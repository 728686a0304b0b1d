#include "algorithms/training/gossip/graph_mixing.hpp"

#include <algorithm>

namespace starling {
namespace {

/// Rotates neighbors, sorted by rank, so that the first one above `rank` comes first.
void rotate_to(Rank rank, std::vector<MixingNeighbor>& neighbors) {
  std::ranges::rotate(neighbors, std::ranges::find_if(neighbors, [&](const MixingNeighbor& neighbor) {
                        return neighbor.rank > rank;
                      }));
}

}  // namespace

void GraphMixing::find_in_neighbors(Rank rank, std::int64_t iteration,
                                    std::vector<MixingNeighbor>& found) const {
  matrix_.find_received_weights(rank, iteration, found);
  rotate_to(rank, found);
  std::ranges::reverse(found);
}

void GraphMixing::find_out_neighbors(Rank rank, std::int64_t iteration,
                                     std::vector<MixingNeighbor>& found) const {
  matrix_.find_sent_weights(rank, iteration, found);
  rotate_to(rank, found);
}

}  // namespace starling
