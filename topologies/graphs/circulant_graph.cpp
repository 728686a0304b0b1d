#include "topologies/graphs/circulant_graph.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace starling {
namespace {

using Distances = std::vector<std::vector<int>>;

Distances sorted(Distances distances) {
  for (std::vector<int>& of_iteration : distances) {
    std::sort(of_iteration.begin(), of_iteration.end());
    of_iteration.erase(std::unique(of_iteration.begin(), of_iteration.end()), of_iteration.end());
  }
  return distances;
}

Distances reversed(int workers, Distances distances) {
  for (std::vector<int>& of_iteration : distances) {
    for (int& distance : of_iteration) distance = workers - distance;
  }
  return sorted(std::move(distances));
}

CommunicationGraphTraits traits_of(int workers, const Distances& forward, const Distances& backward) {
  const bool is_grouped = std::all_of(forward.begin(), forward.end(), [workers](const auto& of_iteration) {
    return static_cast<int>(of_iteration.size()) == workers - 1;
  });
  return {.workers = workers,
          .period = static_cast<int>(forward.size()),
          .is_symmetric = forward == backward,
          .is_grouped = is_grouped};
}

void find_workers_at(const std::vector<int>& distances, Rank rank, int workers, std::vector<Rank>& found) {
  found.clear();
  found.reserve(distances.size());
  // Neighbors beyond the last rank wrap around and come first, so that the list ascends.
  const auto wrapped = std::lower_bound(distances.begin(), distances.end(), workers - rank);
  for (auto distance = wrapped; distance != distances.end(); ++distance) {
    found.push_back(rank + *distance - workers);
  }
  for (auto distance = distances.begin(); distance != wrapped; ++distance) found.push_back(rank + *distance);
}

}  // namespace

CirculantGraph::CirculantGraph(int workers, Distances distances)
    : CirculantGraph(workers, sorted(distances), reversed(workers, distances)) {}

CirculantGraph::CirculantGraph(int workers, Distances forward, Distances backward)
    : CommunicationGraph(traits_of(workers, forward, backward)),
      forward_(std::move(forward)),
      backward_(std::move(backward)) {}

void CirculantGraph::find_out_neighbors(Rank rank, std::int64_t iteration, std::vector<Rank>& found) const {
  find_workers_at(forward_[static_cast<std::size_t>(phase(iteration))], rank, workers(), found);
}

void CirculantGraph::find_in_neighbors(Rank rank, std::int64_t iteration, std::vector<Rank>& found) const {
  find_workers_at(backward_[static_cast<std::size_t>(phase(iteration))], rank, workers(), found);
}

int CirculantGraph::out_degree(Rank, std::int64_t iteration) const {
  return static_cast<int>(forward_[static_cast<std::size_t>(phase(iteration))].size());
}

int CirculantGraph::in_degree(Rank rank, std::int64_t iteration) const { return out_degree(rank, iteration); }

}  // namespace starling
