#include "algorithms/training/graph_mixing.hpp"

#include <algorithm>

namespace starling {
namespace {

/// Ascending neighbours, those after `rank` first.
std::vector<MixingNeighbour> from_rank_on(const std::vector<WeightedNeighbour>& ascending, Rank rank) {
  std::vector<MixingNeighbour> neighbours;
  neighbours.reserve(ascending.size());
  for (const auto& [other, weight] : ascending) neighbours.push_back({other, weight});
  std::ranges::rotate(neighbours, std::ranges::find_if(neighbours, [&](const MixingNeighbour& neighbour) {
                        return neighbour.rank > rank;
                      }));
  return neighbours;
}

}  // namespace

std::vector<MixingNeighbour> GraphMixing::in_neighbours(Rank rank, std::int64_t iteration) const {
  std::vector<MixingNeighbour> sources = from_rank_on(matrix_.received_weights(rank, iteration), rank);
  std::ranges::reverse(sources);
  return sources;
}

std::vector<MixingNeighbour> GraphMixing::out_neighbours(Rank rank, std::int64_t iteration) const {
  return from_rank_on(matrix_.sent_weights(rank, iteration), rank);
}

}  // namespace starling
